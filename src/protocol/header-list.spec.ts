import { describe, expect, it } from '@jest/globals';
import { isListable } from './header-list.js';

describe('an item of a list in a header', () => {
  it.each(['urn:a', 'https://example.com/ext/v1?x=1#y', '~', '!'])('may be %j', (item) => {
    expect(isListable(item)).toBe(true);
  });

  it.each(['', 'urn:a,urn:b', 'urn:a b', 'urn:bad\n', 'urn:€', 'urn:ü', '\u007f'])(
    'is never %j',
    (item) => {
      expect(isListable(item)).toBe(false);
    },
  );
});
