/** JSON off the wire. A test looks into it freely, and fails where it is not as awaited. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

/** A JSON object off the wire. */
export type JsonObject = Record<string, Json>;
