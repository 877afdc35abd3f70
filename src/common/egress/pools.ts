import { Agent, type buildConnector, type Dispatcher, Pool } from 'undici';
import { identityOf, secureContextOf, type TlsChoice } from './tls-choice.js';
import type { ConnectOptions } from './guarded-connector.js';
import type { PieceCount } from '../small-pieces.js';

/** Groups of pools kept for the next request. Above the number of profiles a hub is likely to use at once. */
const KEPT_GROUPS = 256;

/** A request that is watched. */
export interface WatchedRequest extends Dispatcher.DispatchOptions {
  /** Called when it is on a connection. */
  readonly onSent?: () => void;
  /** Counts the chunks of its answer. */
  readonly pieces?: PieceCount;
}

/** Makes the connector of one origin. */
export type ConnectorFactory = (origin: URL, options: ConnectOptions) => buildConnector.connector;

/**
 * Connection pools by origin. undici sets the connect timeout and the certificates per pool, so there is
 * one group of pools (an undici `Agent`) for each connect timeout and TLS choice in use: a connection
 * made with one client certificate never carries a request of another. Groups are bounded; the one that
 * was unused longest goes first, its requests under way end undisturbed and its connections close when
 * they are idle. A request never waits for another one to end: there is a connection for each, and how
 * many there are is for those to limit who make the requests.
 */
export class Pools {
  /** In the order of their last use. */
  private readonly groups = new Map<string, Group>();
  /** Without a place in {@link groups}, but perhaps still with requests. */
  private retired = new Set<Group>();

  constructor(
    private readonly connectorTo: ConnectorFactory,
    private readonly kept = KEPT_GROUPS,
  ) {}

  /** Throws ConnectError when the client certificate cannot be used. */
  of(connectTimeoutMs: number, choice: TlsChoice): Group {
    const key = `${connectTimeoutMs} ${identityOf(choice)}`;
    let group = this.groups.get(key);
    if (group === undefined) {
      group = this.open(connectTimeoutMs, choice);
      if (this.groups.size >= this.kept) this.retireOldest();
    } else {
      this.groups.delete(key);
    }
    this.groups.set(key, group);
    return group;
  }

  /** Cuts what is open and frees all connections. */
  async close(): Promise<void> {
    const all = [...this.groups.values(), ...this.retired];
    this.groups.clear();
    this.retired.clear();
    await Promise.all(all.map((agent) => agent.destroy()));
  }

  private open(timeoutMs: number, choice: TlsChoice): Group {
    const secureContext = secureContextOf(choice);
    return new Group({
      factory: (origin) =>
        new Pool(origin, {
          connect: this.connectorTo(new URL(origin), { timeoutMs, secureContext }),
          // uvicorn closes idle connections after 5 s without announcing it; be earlier.
          keepAliveTimeout: 4000,
        }),
    });
  }

  private retireOldest(): void {
    const [oldest] = this.groups;
    if (oldest === undefined) return;
    this.groups.delete(oldest[0]);
    // An agent forgets a pool when its last connection closes.
    const open = [...this.retired].filter((agent) => Object.keys(agent.stats).length > 0);
    this.retired = new Set(open).add(oldest[1]);
  }
}

class Group extends Agent {
  override dispatch(options: WatchedRequest, handler: Dispatcher.DispatchHandler): boolean {
    const { onSent, pieces, ...others } = options;
    // The handler is this request's own; only the old form of handlers is told of its connection.
    if (onSent !== undefined) {
      const onConnect = handler.onConnect?.bind(handler);
      handler.onConnect = (...given) => {
        onSent();
        onConnect?.(...given);
      };
    }
    const onData = handler.onData?.bind(handler);
    if (pieces !== undefined && onData !== undefined) {
      handler.onData = (chunk) => {
        pieces.value += 1;
        return onData(chunk);
      };
    }
    return super.dispatch(others, handler);
  }
}
