import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2';

/** Calls a second without a key: of all connections together, and of one of them at most and at least. */
const PROCESS_RATE = 200;
const RATE = 20;
const LEAST_RATE = 2;
/** So many may come at once on a connection. */
const BURST = 20;
/** What was under way already when a connection was stopped; one with more is closed. */
const MAX_DEBT = 100;
/** A connection is not read for so long at most. */
const MAX_PAUSE_MS = 5000;
/** How often closed connections are reported at most. */
const REPORT_MS = 10_000;
/** In this time the connections are counted that share the rate. */
const WINDOW_MS = 1000;

/** What reads a connection beneath HTTP/2, which itself has no way to stop. */
interface Reader {
  readStop?(): unknown;
  readStart?(): unknown;
}

interface Connection {
  tokens: number;
  at: number;
  isPaused: boolean;
  /** A caller with a key has been seen on it: others may be behind the same proxy. */
  isKnown: boolean;
}

/**
 * Bounds the calls without a key: to the health service, and with a key that is none. A
 * connection that has more of them than its share is not read for a while, so that they wait with their sender; one
 * with a known caller stays open, and excess calls are refused. Whoever asks now and then never waits.
 */
export class UnauthenticatedCallRate {
  private readonly connections = new WeakMap<Http2Session, Connection>();
  private active = new WeakSet<Http2Session>();
  private count = 0;
  private countBefore = 0;
  private windowEnds = 0;

  /** Connections closed since the last report. */
  private closed = 0;
  private reportAt = 0;

  /** `report` is called with how many connections were closed since the last time, and the address of one of them. */
  constructor(
    private readonly report: (connections: number, address: string | undefined) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts a call without a key; its stream, or its connection, may be closed by that. */
  took(stream: ServerHttp2Stream | undefined): void {
    const session = stream?.session;
    if (session === undefined || session.destroyed) return;
    const now = this.now();
    const rate = this.rate(session, now);
    const connection = this.of(session, now);
    const { tokens, at } = connection;
    connection.tokens = Math.min(BURST, tokens + ((now - at) * rate) / 1000) - 1;
    connection.at = now;
    if (connection.tokens >= 0) return;
    if (connection.isKnown) {
      connection.tokens = Math.max(connection.tokens, -1);
      stream?.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    } else if (connection.tokens < -MAX_DEBT) {
      this.close(session);
    } else {
      this.pause(session, connection, (-connection.tokens / rate) * 1000);
    }
  }

  /** A caller with a key is on this connection. */
  known(stream: ServerHttp2Stream | undefined): void {
    if (stream?.session !== undefined) this.of(stream.session, this.now()).isKnown = true;
  }

  private of(session: Http2Session, now: number): Connection {
    const known = this.connections.get(session);
    if (known) return known;
    const connection = { tokens: BURST, at: now, isPaused: false, isKnown: false };
    this.connections.set(session, connection);
    return connection;
  }

  /** The share of one of those that call just now. */
  private rate(session: Http2Session, now: number): number {
    if (now >= this.windowEnds) {
      this.countBefore = now < this.windowEnds + WINDOW_MS ? this.count : 0;
      this.count = 0;
      this.active = new WeakSet();
      this.windowEnds = now + WINDOW_MS;
    }
    if (!this.active.has(session)) {
      this.active.add(session);
      this.count += 1;
    }
    const sharing = Math.max(this.count, this.countBefore);
    return Math.max(LEAST_RATE, Math.min(RATE, PROCESS_RATE / sharing));
  }

  private close(session: Http2Session): void {
    const address = session.socket?.remoteAddress;
    session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
    this.closed += 1;
    const now = this.now();
    if (now < this.reportAt) return;
    this.report(this.closed, address);
    this.closed = 0;
    this.reportAt = now + REPORT_MS;
  }

  private pause(session: Http2Session, connection: Connection, ms: number): void {
    if (connection.isPaused) return;
    const reader = readerOf(session);
    if (reader?.readStop === undefined) {
      this.close(session);
      return;
    }
    connection.isPaused = true;
    reader.readStop();
    const goOn = (): void => {
      clearTimeout(timer);
      session.off('close', goOn);
      connection.isPaused = false;
      if (!session.destroyed) reader.readStart?.();
    };
    const timer = setTimeout(goOn, Math.min(ms, MAX_PAUSE_MS)).unref();
    session.once('close', goOn);
  }
}

function readerOf({ socket }: Http2Session): Reader | undefined {
  return (
    (socket as unknown as { readonly _handle?: Reader | null } | undefined)?._handle ?? undefined
  );
}
