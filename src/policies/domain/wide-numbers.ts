/** The whole numbers that a policy may hold: those that its JSON form keeps as they are written. */
export const WIDEST = Number.MAX_SAFE_INTEGER;

/** Whether the JSON form of a statement holds a number that is not the one that was written: the engine would compare with another. */
export function hasWideNumber(json: unknown): boolean {
  if (typeof json === 'number') return !Number.isSafeInteger(json);
  if (typeof json !== 'object' || json === null) return false;
  return Object.values(json).some(hasWideNumber);
}
