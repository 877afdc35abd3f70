import type { IncomingHttpHeaders } from 'node:http';
import { restErrorOf, rpcErrorOf } from '../error-map.js';
import { peerOf } from './v0-peers.js';

/** The errors of 0.3 by the names of their classes in Java. */
const CLASSES: Readonly<Record<number, string>> = {
  [-32001]: 'TaskNotFoundError',
  [-32002]: 'TaskNotCancelableError',
  [-32003]: 'PushNotificationNotSupportedError',
  [-32004]: 'UnsupportedOperationError',
  [-32005]: 'ContentTypeNotSupportedError',
  [-32006]: 'InvalidAgentResponseError',
  [-32007]: 'AuthenticatedExtendedCardNotConfiguredError',
  [-32600]: 'InvalidRequestError',
  [-32601]: 'MethodNotFoundError',
  [-32602]: 'InvalidParamsError',
  [-32603]: 'InternalError',
  [-32700]: 'JSONParseError',
};

/**
 * An error of HTTP+JSON 0.3, as JSON text: bare, the `error` of JSON-RPC without its envelope. The
 * specification has no form for it, and two clients look for one of their own.
 */
export function errorTextOf(thrown: unknown, headers: IncomingHttpHeaders): string {
  const bare = rpcErrorOf(thrown, '0.3');
  const { reads } = peerOf(headers);
  if (reads === 'status') return JSON.stringify({ ...bare, error: restErrorOf(thrown).error });
  const name = reads === 'class' ? CLASSES[bare.code] : undefined;
  return JSON.stringify(name === undefined ? bare : { ...bare, error: `io.a2a.spec.${name}` });
}
