import { HubError } from '../../common/hub-error.js';

/** Reads a request; throws INVALID_REQUEST for bytes that are not that message. */
export function decoded<Request>(deserialize: (bytes: Buffer) => Request, bytes: Buffer): Request {
  try {
    return deserialize(bytes);
  } catch (thrown) {
    throw notThisMessage(thrown);
  }
}

/** The error for bytes that are not the message of their method. */
export function notThisMessage(cause?: unknown): HubError {
  const text = 'The request is not a protobuf message of this method.';
  return new HubError('INVALID_REQUEST', text, { cause });
}
