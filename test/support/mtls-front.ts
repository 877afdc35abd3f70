import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { type TestAuthority } from './authority.js';

/** TLS in front of a plain server of the loopback interface: it lets nobody in without a certificate of the authority. */
export class MtlsFront {
  /** The common names of those who came in, one for each connection, oldest first. */
  readonly callers: string[] = [];
  /** The same by the port from which the plain server is called for them. */
  private readonly byPort = new Map<number | undefined, string>();

  private constructor(
    readonly port: number,
    /** Cuts what is open, so that whoever comes again shows a certificate again. */
    readonly dropConnections: () => void,
    readonly close: () => Promise<void>,
  ) {}

  static async start(authority: TestAuthority, inner: () => number): Promise<MtlsFront> {
    const { certificate, key } = await authority.issue('front', ['127.0.0.1']);
    const sockets = new Set<Socket>();
    const server = createServer({
      cert: certificate,
      key,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    });
    server.on('secureConnection', (outside: TLSSocket) => {
      const caller = String(outside.getPeerCertificate().subject.CN);
      front.callers.push(caller);
      const inside = connect(inner(), '127.0.0.1');
      inside.on('connect', () => front.byPort.set(inside.localPort, caller));
      outside.on('error', () => inside.destroy()).on('close', () => inside.destroy());
      inside.on('error', () => outside.destroy()).on('close', () => outside.destroy());
      outside.pipe(inside).pipe(outside);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const drop = (): void => sockets.forEach((socket) => void socket.destroy());
    const front = new MtlsFront((server.address() as AddressInfo).port, drop, async () => {
      drop();
      await new Promise((resolve) => server.close(resolve));
    });
    return front;
  }

  /** Who came in, for whom the plain server is called from this port. */
  callerAt(port: number | undefined): string {
    return this.byPort.get(port) ?? 'nobody';
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }
}
