import { describe, expect, it } from '@jest/globals';
import { slicesOf } from './text-slices.js';

describe('slicesOf', () => {
  it('gives all of a text in slices that part no character', () => {
    expect([...slicesOf('abcde', 2)]).toEqual(['ab', 'cd', 'e']);
    expect([...slicesOf('a😀b😀', 2)]).toEqual(['a😀', 'b😀']);
    expect([...slicesOf('', 2)]).toEqual([]);
  });

  it('leaves half a character where it is', () => {
    expect([...slicesOf('a\ud83d', 2)].join('')).toBe('a\ud83d');
    expect([...slicesOf('a\ud83d\ud83d\ude00b', 2)]).toEqual(['a\ud83d', '😀', 'b']);
  });
});
