import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Issued } from './authority.js';

/** What was asked of the proxy. */
export interface RequestedTunnel {
  /** `host:port` as it was written. */
  readonly target: string;
  readonly authorization: string | undefined;
}

/** An HTTP proxy that knows CONNECT and nothing else, on a free port of the loopback interface. */
export class ConnectProxy {
  readonly requested: RequestedTunnel[] = [];
  /** Answers a CONNECT with this status; `hang`: with nothing. Undefined: makes the tunnel. */
  refusal: number | 'hang' | undefined;
  /** Where tunnels lead by what was asked for; by default nowhere but where they should. */
  readonly hosts = new Map<string, number>();
  /** Requests that were no CONNECT. */
  readonly others: string[] = [];

  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => this.keep(socket));
    server.on('request', (request, response) => {
      this.others.push(`${request.method} ${request.url}`);
      response.writeHead(405).end();
    });
    server.on('connect', (request, socket: Socket) => this.connected(request, socket));
  }

  static async start(tls?: Issued): Promise<ConnectProxy> {
    const server = tls ? createTlsServer({ cert: tls.certificate, key: tls.key }) : createServer();
    const proxy = new ConnectProxy(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get targets(): readonly string[] {
    return this.requested.map(({ target }) => target);
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private connected(request: IncomingMessage, socket: Socket): void {
    const target = request.url ?? '';
    this.requested.push({ target, authorization: request.headers['proxy-authorization'] });
    if (this.refusal === 'hang') return;
    if (this.refusal !== undefined) {
      socket.end(`HTTP/1.1 ${this.refusal} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const port = this.hosts.get(target) ?? Number(target.slice(target.lastIndexOf(':') + 1));
    const upstream = this.keep(connect(port, '127.0.0.1'));
    upstream.on('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket);
      socket.pipe(upstream);
    });
    upstream.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    upstream.on('close', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    return socket;
  }
}
