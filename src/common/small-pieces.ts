/** So many pieces may be of any size; of more, so many bytes are wanted on average: each is work of its own. */
const MANY_PIECES = 4096;
export const SMALL_PIECE = 64;

/** Whether what arrives comes in too many pieces for so few bytes. */
export function tooSmallPieces(pieces: number, bytes: number): boolean {
  return pieces > MANY_PIECES && bytes < pieces * SMALL_PIECE;
}

/** Counts the pieces of what arrives: a stream of bytes puts together what waits in it, and hides how many they were. */
export class PieceCount {
  value = 0;
  private seen = 0;

  /** How many have come since this was last asked. */
  next(): number {
    const more = this.value - this.seen;
    this.seen = this.value;
    return more;
  }
}

/** Why an agent's answer is refused: completes a sentence. */
export const TOO_SMALL_PIECES = `comes in too small pieces: of less than ${SMALL_PIECE} bytes on average`;
