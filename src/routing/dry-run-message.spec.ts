import { describe, expect, it } from '@jest/globals';
import { dryRunMessage } from './dry-run-message.js';

describe('the message of a dry run', () => {
  it('may be left out, in part or as a whole', () => {
    expect(dryRunMessage(undefined).parts).toEqual([]);
    expect(dryRunMessage(null).parts).toEqual([]);
    expect(dryRunMessage({ parts: [{ text: 'x' }], metadata: null })).toMatchObject({
      parts: [{ content: { $case: 'text', value: 'x' } }],
    });
  });

  it.each([
    [[], 'message.parts', 'must hold at least 1 item'],
    [[{}], 'message.parts[0]', 'must hold exactly one of text, raw, url, data'],
    [[{ text: 'x', data: 1 }], 'message.parts[0]', 'must hold exactly one of text, raw, url, data'],
    [[{ text: 'x' }, { text: 5 }], 'message.parts[1].text', 'must be a string'],
  ])('has parts as a send has them, not %j', (parts, field, description) => {
    expect(() => dryRunMessage({ parts })).toThrow(
      expect.objectContaining({ violations: [{ field, description }] }),
    );
  });

  it('may have a part that holds null', () => {
    expect(dryRunMessage({ parts: [{ data: null }] }).parts).toHaveLength(1);
  });

  it('is refused as a whole where only the codec sees that it is none', () => {
    expect(() => dryRunMessage({ messageId: { toString: 5, valueOf: 5 } })).toThrow(
      expect.objectContaining({
        reason: 'INVALID_PARAMS',
        violations: [expect.objectContaining({ field: 'message' })],
      }),
    );
  });
});
