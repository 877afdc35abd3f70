import type { IncomingHttpHeaders } from 'node:http';
import type { ProtoPeer } from '../v0-proto-json.js';

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

/** JavaScript, the conformance kit, and all others: what the proto of 0.3.0 says. */
const OTHER: RestPeer = { filesTwice: false, laterFields: false };

/** The official clients of Python, Go and Java; anything else is taken at its word. */
export function peerOf(headers: IncomingHttpHeaders): RestPeer {
  const agent = headers['user-agent'] ?? '';
  return KNOWN.find(([pattern]) => pattern.test(agent))?.[1] ?? OTHER;
}
