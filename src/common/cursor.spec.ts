import { describe, expect, it } from '@jest/globals';
import { issueCursor, readCursor } from './cursor.js';

const isWord = (text: string) => /^[a-z]+$/.test(text);

describe('a cursor', () => {
  it('gives back its id', () => {
    expect(readCursor(issueCursor('abc'), isWord)).toBe('abc');
  });

  it.each(['', 'garbage!', issueCursor('A1'), `${issueCursor('abc')}=`])('is not %j', (cursor) => {
    expect(() => readCursor(cursor, isWord)).toThrow('cursor is not a cursor of this list');
  });
});
