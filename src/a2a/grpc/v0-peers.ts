import type { ProtoPeer } from '../v0-proto-json.js';

/** The official clients of these languages take the base64 text of 0.3 for the bytes of a file. */
const FILES_TWICE = /\bgrpc-(python|go|java)/;

/** What is known of the program that calls, by the `user-agent` of its gRPC library. */
export function peerOf(userAgent: string | undefined): ProtoPeer {
  // The proto of 0.3.0, which the codec knows, has no field for what came later.
  return { filesTwice: FILES_TWICE.test(userAgent ?? ''), laterFields: false };
}
