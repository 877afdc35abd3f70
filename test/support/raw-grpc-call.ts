import { once } from 'node:events';
import { connect } from 'node:net';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const SETTINGS = 0x4;
const HEADERS = 0x1;
const END_HEADERS = 0x4;

/**
 * Begins a gRPC call with just these metadata, which no client library would send: several of one name, too. Resolves when
 * the server has said something about it, which is not read.
 */
export async function beginRawCall(
  target: string,
  path: string,
  metadata: readonly (readonly [name: string, value: string])[],
): Promise<void> {
  const { hostname, port } = new URL(`http://${target}`);
  const socket = connect(Number(port), hostname);
  const headers = [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', target],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
    ...metadata,
  ];
  const block = Buffer.concat(headers.map(([name, value]) => literal(name, value)));
  socket.write(PREFACE);
  socket.write(frame(SETTINGS, 0, 0, Buffer.alloc(0)));
  socket.write(frame(HEADERS, END_HEADERS, 1, block));
  await once(socket, 'data');
  socket.destroy();
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header that no table holds (RFC 7541 §6.2.3). */
function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0x10]), text(name), text(value)]);
}

function text(of: string): Buffer {
  if (of.length >= 127) throw new Error('longer texts are encoded otherwise');
  return Buffer.concat([Buffer.from([of.length]), Buffer.from(of)]);
}
