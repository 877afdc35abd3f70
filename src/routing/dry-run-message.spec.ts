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

  it.each([
    [
      { parts: Array.from({ length: 1001 }, () => ({ text: 'x' })) },
      'message.parts',
      'must hold at most 1000 items',
    ],
    [
      { parts: [{ text: 'x', mediaType: 'a'.repeat(4097) }] },
      'message.parts[0].mediaType',
      'must be a string of at most 4096 characters',
    ],
    [
      { extensions: Array.from({ length: 101 }, (_, at) => `urn:${at}`) },
      'message.extensions',
      'must hold at most 100 items',
    ],
    [
      { extensions: ['a'.repeat(4097)] },
      'message.extensions',
      'must hold strings of at most 4096 characters',
    ],
  ])('holds no more than a send may: %#', (written, field, description) => {
    expect(() => dryRunMessage(written)).toThrow(
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
