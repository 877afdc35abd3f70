import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Issued } from './authority.js';

/** A receiver of syslog (RFC 5424 in frames of RFC 6587) over TCP or, with a certificate, TLS. */
export class SyslogReceiver {
  readonly messages: string[] = [];
  /** What does not have the form of frames. */
  readonly faults: string[] = [];
  /** Cuts connections after so many bytes. */
  cutAfter = Infinity;

  private constructor(private readonly server: Server) {}

  static async start(certificate?: Issued): Promise<SyslogReceiver> {
    const tls = certificate && { cert: certificate.certificate, key: certificate.key };
    const server = tls === undefined ? createServer() : createTlsServer(tls);
    const receiver = new SyslogReceiver(server);
    server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) =>
      receiver.read(socket),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }

  private read(socket: Socket): void {
    let rest: Buffer = Buffer.alloc(0);
    let bytes = 0;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > this.cutAfter) return void socket.resetAndDestroy();
      rest = this.framesIn(Buffer.concat([rest, chunk]));
    });
    socket.on('end', () => {
      if (rest.length > 0) this.faults.push(rest.toString());
    });
  }

  private framesIn(bytes: Buffer): Buffer {
    for (let rest = bytes; ;) {
      const space = rest.indexOf(' ');
      if (space < 0) return rest;
      const length = rest.subarray(0, space).toString();
      if (!/^[1-9]\d*$/.test(length)) this.faults.push(length);
      const end = space + 1 + Number(length);
      if (rest.length < end) return rest;
      this.messages.push(rest.subarray(space + 1, end).toString());
      rest = rest.subarray(end);
    }
  }
}
