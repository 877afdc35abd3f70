/** The protocol dialect a client speaks; it decides shapes and defaults at the edge, nothing else. */
export type ProtocolVersion = '1.0' | '0.3';
