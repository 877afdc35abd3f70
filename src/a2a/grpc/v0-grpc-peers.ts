import type { IncomingHttpHeaders } from 'node:http';
import { single } from '../context-of-headers.js';
import { PLAIN_PEER, type ProtoPeer, asksForProto } from '../v0-proto-json.js';

/** The official clients of these languages take the base64 text of 0.3 for the bytes of a file. */
const FILES_TWICE = /\bgrpc-(python|go|java)/;

/**
 * What is known of the program that calls, by the `user-agent` of its gRPC library, unless it asks to be
 * taken at its word by the metadata `accept: application/grpc; profile=a2a-proto`. The proto of 0.3.0, which
 * the codec knows, has no field for what came later.
 */
export function peerOf(headers: IncomingHttpHeaders): ProtoPeer {
  if (asksForProto(single(headers.accept))) return PLAIN_PEER;
  return { filesTwice: FILES_TWICE.test(headers['user-agent'] ?? ''), laterFields: false };
}
