import { describe, expect, it } from '@jest/globals';
import { MAX_WORDS, safeWords, secretsIn } from './safe-words.js';

describe('the words of a stranger', () => {
  it('are cut, on one line, in one direction, without secrets', () => {
    const secrets = secretsIn({ authorization: 'Token abc-def', 'x-key': 'k123' });
    expect(safeWords('no abc-def\n\u202Ek123 Bearer xyzt', secrets)).toBe(
      'no ***\\u000a\\u202e*** Bearer ***',
    );
    expect(safeWords('x'.repeat(9000), [])).toHaveLength(MAX_WORDS);
    expect(safeWords('x'.repeat(9000), [], 10)).toHaveLength(10);
  });

  it('do not end within a character', () => {
    expect(safeWords('ab😀', [], 3)).toBe('ab');
  });
});
