import { describe, expect, it } from '@jest/globals';
import { issueCursor, readCursor } from './cursor.js';

const isWord = (text: string) => /^[a-z]+$/.test(text);

describe('a cursor', () => {
  it('gives back its id', () => {
    expect(readCursor('words', issueCursor('words', 'abc'), isWord)).toBe('abc');
  });

  it.each([
    '',
    'garbage!',
    issueCursor('words', 'A1'),
    `${issueCursor('words', 'abc')}=`,
    issueCursor('swords', 'abc'),
    issueCursor('other', 'abc'),
  ])('is not %j', (cursor) => {
    expect(() => readCursor('words', cursor, isWord)).toThrow(
      'cursor is not a cursor of this list',
    );
  });
});
