import type { IncomingHttpHeaders } from 'node:http';
import { single } from '../context-of-headers.js';
import { PLAIN_PEER, type ProtoPeer, asksForProto } from '../v0-proto-json.js';

/** What is known of a program that speaks HTTP+JSON 0.3. */
export interface RestPeer extends ProtoPeer {
  /** What it reads of an error beside the bare one: a `google.rpc.Status`, or the name of a Java class. */
  readonly reads?: 'status' | 'class';
}

/** By the name that their HTTP libraries give. */
const KNOWN: readonly (readonly [agent: RegExp, peer: RestPeer])[] = [
  [/^python-httpx\//, { filesTwice: true, laterFields: true }],
  [/^Go-http-client\//, { filesTwice: true, laterFields: true, reads: 'status' }],
  [/^Java-http-client\//, { filesTwice: true, laterFields: false, reads: 'class' }],
];

/**
 * The official clients of Python, Go and Java, by their HTTP library; anything else is taken at its word,
 * as is what uses one of these libraries and says so by `Accept: application/json; profile=a2a-proto`.
 */
export function peerOf(headers: IncomingHttpHeaders): RestPeer {
  if (asksForProto(single(headers.accept))) return PLAIN_PEER;
  const agent = headers['user-agent'] ?? '';
  return KNOWN.find(([pattern]) => pattern.test(agent))?.[1] ?? PLAIN_PEER;
}
