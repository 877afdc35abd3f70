import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { HubError } from '../hub-error.js';
import { NO_STORE } from './no-store.js';
import { PROBLEM_JSON, problemOf } from './problem.js';

/** Told of every path in the same form: what is wrong keeps the server from reading which one was asked for. */
const CAUSES: Readonly<Record<string, { readonly status: number; readonly text: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, text: 'The headers are larger than the hub takes.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, text: 'The request did not come in time.' },
  HPE_INVALID_METHOD: { status: 400, text: 'The method is none of HTTP.' },
};
const OTHER = { status: 400, text: 'What came is no HTTP request that can be read.' };

/** Answers what Node could not read as a request, and closes the connection: where it ends is not known. */
export function refuseUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) return void socket.destroy();
  const { status, text } = CAUSES[error.code ?? ''] ?? OTHER;
  const title = STATUS_CODES[status]!;
  const body = JSON.stringify({
    ...problemOf(new HubError('INVALID_REQUEST', text)),
    title,
    status,
  });
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    `Content-Type: ${PROBLEM_JSON}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    `Cache-Control: ${NO_STORE}`,
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}
