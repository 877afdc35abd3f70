import { describe, expect, it } from '@jest/globals';
import { listOf, pieces, rowsOf, typedRows } from './multi-row.js';

describe('statements of many rows', () => {
  it('come in few sizes that add up', () => {
    const sizes = (count: number): number[] =>
      [...pieces(Array.from({ length: count }))].map(({ length }) => length);
    expect(sizes(0)).toEqual([]);
    expect(sizes(1)).toEqual([1]);
    expect(sizes(7)).toEqual([4, 2, 1]);
    expect(sizes(150)).toEqual([64, 64, 16, 4, 2]);
    expect([...pieces([1, 2, 3])].flat()).toEqual([1, 2, 3]);
  });

  it('have a placeholder for each value', () => {
    expect(rowsOf(2, 3)).toBe('(?, ?, ?), (?, ?, ?)');
    expect(listOf(2)).toBe('(?, ?)');
    expect(typedRows(2, ['text', 'bigint'])).toBe('(CAST(? AS text), CAST(? AS bigint)), (?, ?)');
  });
});
