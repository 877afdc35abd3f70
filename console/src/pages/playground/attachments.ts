/** What the hub takes in one request unless its settings say otherwise (`server.bodyLimit`). */
export const USUAL_LIMIT_BYTES = 10 * 1024 * 1024;
const BASE64_GROWTH = 4 / 3;

/** How many bytes files have in a request. */
export function sentBytes(files: readonly File[]): number {
  return Math.ceil(files.reduce((sum, { size }) => sum + size, 0) * BASE64_GROWTH);
}
