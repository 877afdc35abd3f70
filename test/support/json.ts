/** JSON off the wire. A test looks into it freely, and fails where it is not as awaited. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

/** A JSON object off the wire. */
export type JsonObject = Record<string, Json>;
