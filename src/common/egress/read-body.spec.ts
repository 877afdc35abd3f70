import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { PieceCount } from '../small-pieces.js';
import { BodyTooLargeError, type EgressResponse, readJson, readText } from './read-body.js';

/** An answer of these pieces, and how many of them were asked for. */
function answerOf(pieces: readonly (string | Buffer)[], headers: Record<string, string> = {}) {
  const seen = { pieces: 0 };
  const body = Readable.from(
    (function* () {
      for (const piece of pieces) {
        seen.pieces += 1;
        yield Buffer.from(piece);
      }
    })(),
    { objectMode: true, highWaterMark: 1 },
  );
  return { answer: { statusCode: 200, headers, body } as unknown as EgressResponse, seen };
}

describe('a body that is read', () => {
  it('is put together from pieces of any size', async () => {
    const bytes = Buffer.from(`"${'grün 🦆 '.repeat(30_000)}"`);
    for (const size of [1000, 64 * 1024, 100_000, bytes.length]) {
      const pieces: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
      expect(await readText(answerOf(pieces).answer, 2 ** 20)).toBe(bytes.toString());
    }
    expect(await readText(answerOf([]).answer, 10)).toBe('');
  });

  it('is not read beyond its limits', async () => {
    const large = answerOf(Array(100).fill('x'.repeat(100)));
    await expect(readText(large.answer, 350)).rejects.toThrow(BodyTooLargeError);
    expect(large.seen.pieces).toBeLessThan(10);
    const announced = answerOf(['x'], { 'content-length': '351' });
    await expect(readText(announced.answer, 350)).rejects.toThrow(BodyTooLargeError);
    const wide = answerOf(Array(100).fill('{},'.repeat(100)));
    const json = { maxValues: 500, maxNesting: 5 };
    await expect(readJson(wide.answer, 2 ** 20, json)).rejects.toThrow('has more than 500 values');
    expect(wide.seen.pieces).toBeLessThan(10);
  });

  it('is given up when it comes in very many tiny pieces', async () => {
    const tiny = answerOf(Array(10_000).fill('x'));
    await expect(readText(tiny.answer, 2 ** 20)).rejects.toThrow('comes in too small pieces');
    expect(tiny.seen.pieces).toBeLessThan(5000);
    expect(
      await readText(answerOf(Array(10_000).fill('x'.repeat(64))).answer, 2 ** 20),
    ).toHaveLength(640_000);
  });

  it('counts the chunks that were put together before they are read', async () => {
    const pieces = new PieceCount();
    pieces.value = 5000;
    const { answer } = answerOf(['x'.repeat(5000)]);
    await expect(readText({ ...answer, pieces }, 2 ** 20)).rejects.toThrow('too small pieces');
  });

  it('waits for capacity before more is read, and is given up when there is none', async () => {
    const { answer, seen } = answerOf(Array(100).fill('x'.repeat(100)));
    const reserve = (bytes: number): Promise<void> | undefined =>
      bytes < 300 ? undefined : Promise.reject(new Error('no room'));
    await expect(readText(answer, 2 ** 20, { reserve })).rejects.toThrow('no room');
    expect(seen.pieces).toBeLessThan(10);
  });
});
