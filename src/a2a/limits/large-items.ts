import { LONG } from '../../common/long-work.js';
import { type AnswerReservation, TINY } from './answer-budget.js';

/** Who writes the items of a stream. */
export interface ItemWriter {
  /** Its reader is gone, or it has been ended. */
  readonly closed: boolean;
  /** Resolves when all that was written has left for the reader, or nothing is to be written any more. */
  drained(): Promise<void>;
}

/** Characters or bytes from which an item of a stream counts in the budget of large answers, see {@link passItem}. */
export function largeFrom(isFirst: boolean): number {
  return isFirst ? TINY : LONG;
}

/**
 * Has `write` hand an item of so many bytes over, which counts in the budget until it has left. It has the connection for itself:
 * what came before has left then, and nothing is asked for meanwhile that could wait behind it. Rejects with RATE_LIMITED or
 * UNAVAILABLE, with nothing handed over, when there is no room after a while.
 */
export async function passItem(
  writer: ItemWriter,
  reservation: AnswerReservation,
  { bytes, isFirst }: { readonly bytes: number; readonly isFirst: boolean },
  write: () => void,
): Promise<void> {
  await reservation.hold(bytes, isFirst);
  await writer.drained();
  write();
  await writer.drained();
  // What is left of one that ends is handed over at once, and counts until the call is over.
  if (!writer.closed) reservation.release();
}
