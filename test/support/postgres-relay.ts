import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What becomes of the next COMMIT: the server gets it and its answer is lost, or it is lost itself. */
export type LostCommit = 'answer' | 'request';

/** Stands between a hub and its PostgreSQL server, and breaks the connection at a COMMIT, or falls silent. */
export class PostgresRelay {
  losing: LostCommit | undefined;
  /** Nobody gets through any more from then on. */
  isDownAfter = false;
  /** Nothing gets through any more, either way, and no connection breaks: what comes meanwhile is lost. */
  isSilent = false;
  /** The server gets the next COMMIT; from then on it is silent. */
  silentAfterCommit = false;

  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly real: URL,
  ) {
    server.on('connection', (client: Socket) => this.join(this.keep(client)));
  }

  static async start(databaseUrl: string): Promise<PostgresRelay> {
    const server = createServer();
    const relay = new PostgresRelay(server, new URL(databaseUrl));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  /** The database, through this. */
  get url(): string {
    const url = new URL(this.real);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** As if the server ended: connections break, and none is taken until `isDownAfter` is false again. */
  goDown(): void {
    this.isDownAfter = true;
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private join(client: Socket): void {
    if (this.isDownAfter && this.losing === undefined) return void client.destroy();
    const server = this.keep(connect(Number(this.real.port), '127.0.0.1'));
    client.on('data', (data: Buffer) => {
      const lost = data.includes('COMMIT\0') ? this.losing : undefined;
      if (lost !== undefined) {
        this.losing = undefined;
        if (this.isDownAfter) for (const other of this.others(client, server)) other.destroy();
      }
      if (lost === 'request') return void client.destroy();
      if (this.isSilent) return;
      server.write(data);
      if (this.silentAfterCommit && data.includes('COMMIT\0')) this.isSilent = true;
      // The server has made it before it answers.
      if (lost === 'answer') server.prependOnceListener('data', () => client.destroy());
    });
    server.on('data', (data: Buffer) => {
      if (!client.destroyed && !this.isSilent) client.write(data);
    });
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }

  private others(...these: Socket[]): Socket[] {
    return [...this.sockets].filter((each) => !these.includes(each));
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    return socket;
  }
}
