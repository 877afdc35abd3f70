import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import { networkOf } from '../../common/network-of.js';

/** Calls a second without a key: of all connections together, and of one of them at most and at least. */
const PROCESS_RATE = 200;
const RATE = 20;
const LEAST_RATE = 2;
/** What of the process's rate, each second, is kept for calls on connections that ask little. */
const CALM_RATE = 50;
/** Likewise for addresses (of IPv6, /64 networks) that ask little, which may open a connection for each call. */
const ADDRESS_RATE = 50;
/** So many calls a second of one address may be of that share. */
const MAX_OF_ADDRESS = 5;
/** A connection asks little when its last call is so long ago, and it has not made many before. */
const CALM_MS = 1000;
/** So many may come at once on a connection. */
const BURST = 20;
/** What was under way already when a connection was stopped; one with more is closed. */
const MAX_DEBT = 100;
/** The same while the process has no room: refusing each of them costs more than closing their connection. */
const MAX_DEBT_WHEN_FULL = 20;
/** So long a process without room counts as such. */
const FULL_MS = 1000;
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

/** Calls that may be answered; a second's worth at once. */
class Share {
  private tokens: number;
  private at = 0;

  constructor(private readonly rate: number) {
    this.tokens = rate;
  }

  take(now: number): boolean {
    const elapsed = now - this.at;
    this.tokens = Math.min(this.rate, this.tokens + (elapsed * this.rate) / 1000);
    this.at = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}

interface Connection {
  tokens: number;
  at: number;
  isPaused: boolean;
  /** A caller with a key has been seen on it: others may be behind the same proxy. */
  isKnown: boolean;
}

/**
 * Bounds the calls without a key: to the health service, and with a key that is none. A connection that has more of
 * them than its share is not read for a while, so that they wait with their sender; one with a known caller stays
 * open. Calls in excess of what a connection has that had arrived already, and those in excess of what the process
 * has for all connections, old and new, are refused. Parts of that are kept for connections and for addresses that ask
 * little.
 */
export class UnauthenticatedCallRate {
  private readonly connections = new WeakMap<Http2Session, Connection>();
  private active = new WeakSet<Http2Session>();
  private count = 0;
  private countBefore = 0;
  private windowEnds = 0;
  /** For whoever comes first, for calm connections, and for calm addresses with what these have had of it. */
  private readonly common = new Share(PROCESS_RATE - CALM_RATE - ADDRESS_RATE);
  private readonly calm = new Share(CALM_RATE);
  private readonly ofAddresses = new Share(ADDRESS_RATE);
  private readonly addresses = new Map<string, number>();
  private fullAt = -FULL_MS;

  /** Connections closed since the last report. */
  private closed = 0;
  private reportAt = 0;

  /** `report` is called with how many connections were closed since the last time, and the address of one of them. */
  constructor(
    private readonly report: (connections: number, address: string | undefined) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Counts a call without a key. False when it is not to be answered: its stream, or its connection, has been closed.
   */
  took(stream: ServerHttp2Stream | undefined): boolean {
    const session = stream?.session;
    if (stream === undefined || session === undefined) return true;
    if (session.destroyed) return false;
    const now = this.now();
    const rate = this.rate(session, now);
    const connection = this.of(session, now);
    const tokens = Math.min(BURST, connection.tokens + ((now - connection.at) * rate) / 1000);
    const isCalm = tokens > BURST - 1 && now - connection.at >= CALM_MS;
    connection.tokens = tokens - 1;
    connection.at = now;
    if (connection.isKnown) {
      connection.tokens = Math.max(connection.tokens, -1);
      return connection.tokens >= 0 || refused(stream);
    }
    const maxDebt = now - this.fullAt < FULL_MS ? MAX_DEBT_WHEN_FULL : MAX_DEBT;
    if (connection.tokens < -maxDebt) {
      this.close(session);
      return false;
    }
    if (connection.tokens < 0) this.pause(session, connection, (-connection.tokens / rate) * 1000);
    // The one by which the connection came to be stopped is answered still.
    const isWithin = connection.tokens > -2 && this.hasCapacity(session, isCalm, now);
    return isWithin || refused(stream);
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

  /** Whether the process has room for one more, which is used then. */
  private hasCapacity({ socket }: Http2Session, isCalm: boolean, now: number): boolean {
    if (this.common.take(now) || (isCalm && this.calm.take(now))) return true;
    const address = networkOf(socket?.remoteAddress ?? '');
    const had = this.addresses.get(address) ?? 0;
    if (had >= MAX_OF_ADDRESS || !this.ofAddresses.take(now)) {
      this.fullAt = now;
      return false;
    }
    this.addresses.set(address, had + 1);
    return true;
  }

  /** The share of one of those that call just now. */
  private rate(session: Http2Session, now: number): number {
    if (now >= this.windowEnds) {
      this.countBefore = now < this.windowEnds + WINDOW_MS ? this.count : 0;
      this.count = 0;
      this.active = new WeakSet();
      this.addresses.clear();
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

/** What a client sees as RESOURCE_EXHAUSTED. */
function refused(stream: ServerHttp2Stream): false {
  stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  return false;
}

function readerOf({ socket }: Http2Session): Reader | undefined {
  return (
    (socket as unknown as { readonly _handle?: Reader | null } | undefined)?._handle ?? undefined
  );
}
