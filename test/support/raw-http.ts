import { connect } from 'node:net';
import type { Json } from './json.js';

/** An HTTP answer as it came off the socket. */
export interface RawAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, its transfer encoding undone. */
  readonly text: string;
  /** The body parsed; undefined when it is not JSON. */
  readonly body: Json;
}

const DEADLINE_MS = 20_000;

/**
 * Writes a request byte by byte as it was recorded and reads the whole answer. `head` is the request
 * line and the header lines; `Host`, and `Content-Length` for a body, are added. `begun` is called when
 * the answer begins: a stream then has its first event.
 */
export async function rawHttp(
  origin: string,
  head: readonly string[],
  body?: string,
  begun: () => void = () => undefined,
): Promise<RawAnswer> {
  const { hostname, port, host } = new URL(origin);
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const [line, ...lines] = head;
  const bytes = [line, `Host: ${host}`, ...lines, ...length, '', body ?? ''].join('\r\n');
  const socket = connect(Number(port), hostname);
  socket.setTimeout(DEADLINE_MS, () => socket.destroy(new Error(`no answer to ${String(line)}`)));
  socket.write(bytes);
  try {
    let received = Buffer.alloc(0);
    for await (const chunk of socket) {
      if (received.length === 0) begun();
      received = Buffer.concat([received, chunk as Buffer]);
      const answer = readAnswer(received);
      if (answer !== undefined) return answer;
    }
    throw new Error(`the connection ended within the answer: ${received.toString()}`);
  } finally {
    socket.destroy();
  }
}

/** The `data:` lines of an answer, parsed, one event for each line: how most peers read a stream. */
export function dataLines(answer: RawAnswer): Json[] {
  return answer.text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => JSON.parse(line.slice('data:'.length)));
}

function readAnswer(received: Buffer): RawAnswer | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const rest = received.subarray(end + 4);
  const bytes =
    headers['transfer-encoding'] === 'chunked'
      ? chunked(rest)
      : sized(rest, Number(headers['content-length'] ?? 0));
  if (bytes === undefined) return undefined;
  const text = bytes.toString();
  return { status: Number(statusLine.split(' ')[1]), headers, text, body: parse(text) };
}

function sized(bytes: Buffer, length: number): Buffer | undefined {
  return bytes.length >= length ? bytes.subarray(0, length) : undefined;
}

function chunked(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = parseInt(bytes.subarray(at, lineEnd).toString(), 16);
    if (size === 0) return Buffer.concat(chunks);
    const begin = lineEnd + 2;
    if (bytes.length < begin + size + 2) return undefined;
    chunks.push(bytes.subarray(begin, begin + size));
    at = begin + size + 2;
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
