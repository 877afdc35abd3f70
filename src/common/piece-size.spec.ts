import { describe, expect, it } from '@jest/globals';
import { PieceSize } from './piece-size.js';

describe('PieceSize', () => {
  it('grows while pieces are short and shrinks when one is long, within its bounds', () => {
    const size = new PieceSize(100, 500);
    const after = (ms: number): number => {
      size.took(ms);
      return size.rows;
    };
    expect(size.rows).toBe(100);
    expect([1, 1, 1, 2, 3].map(after)).toEqual([200, 400, 500, 500, 500]);
    expect([5, 50, 50, 50].map(after)).toEqual([250, 125, 100, 100]);
  });

  it('times work, also where it throws', () => {
    const size = new PieceSize(1, 8);
    expect(size.time(() => 'done')).toBe('done');
    expect(() =>
      size.time(() => {
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(size.rows).toBe(4);
  });
});
