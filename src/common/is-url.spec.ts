import { describe, expect, it } from '@jest/globals';
import { isUrl } from './is-url.js';

describe('isUrl', () => {
  it('tells absolute URLs from other texts', () => {
    expect(['https://a.example/x', 'mailto:a@b', 'a.example', '', 'https://'].map(isUrl)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('knows international names also when it has been called very often', () => {
    for (let n = 0; n < 100_000; n++) isUrl(`https://a${n % 10}.example/`);
    expect(isUrl('https://münchen.example/')).toBe(true);
  });
});
