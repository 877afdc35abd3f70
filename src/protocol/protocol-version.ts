/** Newest first. */
export const PROTOCOL_VERSIONS = ['1.0', '0.3'] as const;

/** The protocol dialect a client speaks; it decides shapes and defaults at the edge, nothing else. */
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];
