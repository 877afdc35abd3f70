import { LONG, sizeOf } from './long-work.js';
import { sliceFor } from './slices.js';

/**
 * Asks for memory for an answer that is large, before it is written. One that is not small is looked through in a slice of the
 * event loop. Rejects with what `reserve` rejects with.
 */
export async function reserveFor(
  answer: object,
  reserve: ((bytes: number) => Promise<void>) | undefined,
): Promise<void> {
  const slice = sliceFor(answer);
  if (slice !== undefined) await slice;
  const size = sizeOf(answer);
  if (size > LONG) await reserve?.(size);
}
