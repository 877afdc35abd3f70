import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A server on a free port of the loopback interface that can be closed at once. */
export interface HttpListener {
  readonly port: number;
  readonly url: string;
  /** Closes every connection now; new ones are still accepted. */
  readonly dropConnections: () => void;
  readonly close: () => Promise<void>;
}

/** Listens with `listener` on a free port (or on `port`, to come back where one was). */
export async function listenOnLoopback(listener: RequestListener, port = 0): Promise<HttpListener> {
  const sockets = new Set<Socket>();
  const server = createServer(listener);
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  const dropConnections = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: bound,
    url: `http://127.0.0.1:${bound}`,
    dropConnections,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      dropConnections();
      await closed;
    },
  };
}
