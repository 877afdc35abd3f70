import { describe, expect, it } from '@jest/globals';
import { ByteCollector } from './byte-collector.js';

describe('collected bytes', () => {
  // Pieces of one byte, of less than a block, of a block, and of more than is decoded at once.
  it.each([[1], [1000], [65_536], [70_001], [600_001]])(
    'are the same text in pieces of %i bytes, wherever a character is parted',
    async (size) => {
      const text = 'aä€😀'.repeat(size === 1 ? 200 : 130_000);
      const bytes = Buffer.from(text);
      const collector = new ByteCollector();
      for (let from = 0; from < bytes.length; from += size) {
        collector.add(bytes.subarray(from, from + size));
      }
      expect(collector.size).toBe(bytes.length);
      expect((await collector.text()) === text).toBe(true);
      expect(collector.size).toBe(0);
      expect(await collector.text()).toBe('');
    },
  );

  it('are one after another what small and large pieces are', async () => {
    const collector = new ByteCollector();
    const pieces = ['x', 'y'.repeat(300_000), 'z'.repeat(10), 'ü'.repeat(400_000), '.'];
    for (const piece of pieces) collector.add(Buffer.from(piece));
    expect((await collector.text()) === pieces.join('')).toBe(true);
  });
});
