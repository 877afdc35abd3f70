import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What is to be called when a connection is gone: one listener, however many requests it brings. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `act` once, when an answer has ended or its client has left; at once when that was before, such as while its
 * caller was found out. An answer that waits behind others of its connection (pipelining) is never told by itself that
 * this is gone. Calling what it returns ends the wait: `act` is not called any more.
 */
export function onceClosed(response: ServerResponse, act: () => void): () => void {
  const { socket } = response.req;
  if (response.closed || socket.destroyed) {
    act();
    return () => undefined;
  }
  const ofSocket = waitingOn(socket);
  const forget = (): void => {
    response.off('close', closed);
    ofSocket.delete(closed);
  };
  const closed = (): void => {
    forget();
    act();
  };
  ofSocket.add(closed);
  response.once('close', closed);
  return forget;
}

/** Resolves when {@link onceClosed} calls. */
export function untilClosed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => void onceClosed(response, resolve));
}

function waitingOn(socket: Socket): Set<() => void> {
  const known = waiting.get(socket);
  if (known !== undefined) return known;
  const made = new Set<() => void>();
  waiting.set(socket, made);
  socket.once('close', () => {
    for (const closed of [...made]) closed();
  });
  return made;
}
