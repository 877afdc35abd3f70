import { describe, expect, it } from '@jest/globals';
import { dryRunMessage } from './dry-run-message.js';

describe('the message of a dry run', () => {
  it('may be left out, in part or as a whole', () => {
    expect(dryRunMessage().parts).toEqual([]);
    expect(dryRunMessage({ parts: [{ text: 'x' }], metadata: null })).toMatchObject({
      parts: [{ content: { $case: 'text', value: 'x' } }],
    });
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
