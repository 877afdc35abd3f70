import { MAX_NESTING } from '../../common/json-limits.js';
import {
  checkProtoLimits,
  type ProtoShape,
  ProtoSyntaxError,
  V0_SHAPES,
  V1_SHAPES,
} from '../../protocol/proto-limits.js';
import { limitError } from '../limits/message-limits.js';
import { notThisMessage } from './decode.js';

/** The requests that may be large, by the path of their method (a2a.proto of 1.0 and of 0.3). */
const LARGE_REQUESTS: ReadonlyMap<string, ProtoShape> = new Map([
  ['/lf.a2a.v1.A2AService/SendMessage', V1_SHAPES.send],
  ['/lf.a2a.v1.A2AService/SendStreamingMessage', V1_SHAPES.send],
  ['/a2a.v1.A2AService/SendMessage', V0_SHAPES.send],
  ['/a2a.v1.A2AService/SendStreamingMessage', V0_SHAPES.send],
]);

/** The largest request of a method that takes no message: it names things. */
const SMALL_REQUEST_BYTES = 256 * 1024;

/** The largest request of a method, at most `limit` bytes. */
export function requestLimit(path: string, limit: number): number {
  return LARGE_REQUESTS.has(path) ? limit : Math.min(limit, SMALL_REQUEST_BYTES);
}

/**
 * Counts the fields and the nesting of a request before it is decoded, which costs many times as much. Throws
 * PAYLOAD_TOO_LARGE for more than `maxFields`, INVALID_PARAMS for values nested too deep and INVALID_REQUEST for
 * bytes that it cannot follow, as the decoder might.
 */
export function scanRequest(path: string, bytes: Uint8Array, maxFields: number): void {
  const shape = LARGE_REQUESTS.get(path);
  if (shape === undefined) return;
  try {
    // One more, so that validation names the field that is nested too deep by a little.
    checkProtoLimits(bytes, shape, { maxValues: maxFields, maxNesting: MAX_NESTING + 1 });
  } catch (thrown) {
    throw thrown instanceof ProtoSyntaxError ? notThisMessage(thrown) : limitError(thrown);
  }
}
