import { type Client, connectivityState } from '@grpc/grpc-js';
import { ConnectError, type Egress } from '../../common/egress/egress.js';
import { denied } from '../../common/egress/connect-error.js';
import { identityOf, type TlsChoice } from '../../common/egress/tls-choice.js';
import { guardedClient, type GuardedClient } from '../../common/egress/guarded-channel.js';
import { firstAllowed, grpcUrls } from './grpc-url.js';

/** How long a channel without calls is kept for the next one. */
const UNUSED_MS = 60_000;
/** Calls on one connection: what every server of HTTP/2 takes as a rule; a further one gets another connection. */
const CALLS_OF_A_CHANNEL = 100;

/** Calls of one kind never share a connection with the other's, and so never wait for them. */
export type GrpcCallKind = 'message' | 'control';

/** The address of a card, and what connections to it are made with. */
export interface GrpcServer {
  readonly address: string;
  readonly tls?: TlsChoice | undefined;
}

/** A connected channel, for one call. */
export interface GrpcLease {
  readonly client: Client;
  /** The call is over; the channel may be closed. Once said is enough. */
  release(): void;
}

/** The hub's gRPC connections to agents: as many channels per address as its calls need, closed when they are not used. */
export class GrpcChannels {
  /** By kind, address and what connections are made with. */
  private readonly channels = new Map<string, Set<GrpcChannel>>();

  constructor(
    private readonly egress: Egress,
    /** Bytes of a whole answer of an agent, or of one event of it. */
    private readonly maxAnswerBytes: number,
    private readonly unusedMs = UNUSED_MS,
  ) {}

  /**
   * A channel to a server that is connected now, within `timeoutMs`; while the process has no
   * file descriptor for it, that does not count. Rejects, nothing
   * having been sent, with HubError EGRESS_DENIED, {@link ConnectError}, or the signal's reason.
   */
  async connect(
    server: GrpcServer,
    kind: GrpcCallKind,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<GrpcLease> {
    signal.throwIfAborted();
    const channel = this.channelTo(server, kind);
    channel.use();
    let held = true;
    const release = (): void => {
      if (held) channel.release();
      held = false;
    };
    try {
      return { client: await unlessAborted(channel.connected(timeoutMs), signal), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Closes all channels. A call that is still open ends by its own signal. */
  close(): void {
    for (const channels of [...this.channels.values()]) {
      for (const channel of [...channels]) channel.close();
    }
  }

  private channelTo(server: GrpcServer, kind: GrpcCallKind): GrpcChannel {
    const { address, tls = {} } = server;
    const key = `${kind} ${address} ${identityOf(tls)}`;
    const channels = this.channels.get(key) ?? new Set();
    for (const channel of channels) if (channel.hasCapacity) return channel;
    const channel = new GrpcChannel(this.egress, server, this.maxAnswerBytes, this.unusedMs, () => {
      channels.delete(channel);
      if (channels.size === 0 && this.channels.get(key) === channels) this.channels.delete(key);
    });
    this.channels.set(key, channels.add(channel));
    return channel;
  }
}

class GrpcChannel {
  private guarded: GuardedClient | undefined;
  private connecting: Promise<Client> | undefined;
  /** Calls that wait for {@link connecting}. */
  private waiting = 0;
  private lacksFile = false;
  private users = 0;
  private unused: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly egress: Egress,
    private readonly server: GrpcServer,
    private readonly maxAnswerBytes: number,
    private readonly unusedMs: number,
    private readonly onClose: () => void,
  ) {}

  get hasCapacity(): boolean {
    return this.users < CALLS_OF_A_CHANNEL;
  }

  use(): void {
    this.users++;
    clearTimeout(this.unused);
  }

  release(): void {
    if (--this.users > 0 || this.closed) return;
    this.unused = setTimeout(() => this.close(), this.unusedMs);
    this.unused.unref();
  }

  /**
   * The client, as soon as it is connected; calls at the same time wait for the same connection, each as
   * long as it may.
   */
  async connected(timeoutMs: number): Promise<Client> {
    const client = this.guarded?.client;
    if (client !== undefined && stateOf(client) === connectivityState.READY) return client;
    this.connecting ??= this.connect().finally(() => (this.connecting = undefined));
    this.waiting++;
    try {
      return await within(
        timeoutMs,
        this.connecting,
        this.failure('CONNECT_TIMEOUT'),
        () => this.lacksFile,
      );
    } catch (error) {
      if (this.waiting === 1) this.close();
      throw error;
    } finally {
      this.waiting--;
    }
  }

  /** A channel that failed is not used again: grpc-js would wait longer and longer before it tries. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    clearTimeout(this.unused);
    this.guarded?.client.close();
    this.onClose();
  }

  private async connect(): Promise<Client> {
    for (;;) {
      try {
        this.guarded ??= await this.open();
        if (this.closed) this.guarded.client.close();
        await this.ready(this.guarded.client);
        return this.guarded.client;
      } catch (error) {
        const why = this.guarded?.refusal() ?? error;
        if (!this.closed && (await this.hasWaitedForFile(why))) continue;
        this.close();
        throw why;
      }
    }
  }

  /** Whether the attempt that failed so is made again, by a new client. */
  private async hasWaitedForFile(why: unknown): Promise<boolean> {
    const failed = this.guarded?.client;
    this.lacksFile = true;
    try {
      if (!(await this.egress.afterNoFile(why)) || this.closed) return false;
      failed?.close();
      this.guarded = undefined;
      return true;
    } finally {
      this.lacksFile = false;
    }
  }

  /** The policy says whether an address without a scheme may be called in plain text. */
  private async open(): Promise<GuardedClient> {
    const { address, tls = {} } = this.server;
    const isShown = tls.clientCertificate !== undefined;
    const urls = grpcUrls(address).filter((url) => !isShown || url.startsWith('https:'));
    if (urls.length === 0) throw denied(address, 'a client certificate needs TLS');
    const { url, answer } = await firstAllowed(urls, (one) => this.egress.wayOf(one));
    const options = { 'grpc.max_receive_message_length': this.maxAnswerBytes };
    return guardedClient(this.egress, url, options, answer, tls);
  }

  /** Resolves when the channel is connected; rejects as soon as one attempt at all addresses failed. */
  private ready(client: Client): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const state = stateOf(client);
        if (state === connectivityState.READY) return resolve();
        if (state === connectivityState.TRANSIENT_FAILURE || state === connectivityState.SHUTDOWN) {
          return reject(this.failure('ECONNFAILED'));
        }
        client.getChannel().watchConnectivityState(state, Infinity, look);
        if (state === connectivityState.IDLE) client.getChannel().getConnectivityState(true);
      };
      look();
    });
  }

  private failure(code: string): ConnectError {
    return new ConnectError(this.server.address, { code });
  }
}

function stateOf(client: Client): connectivityState {
  return client.getChannel().getConnectivityState(false);
}

/**
 * Rejects with `failure` when the wait takes longer, unless it `isFree` at that moment: then it has as
 * long again. What comes of the wait later is dropped.
 */
async function within<T>(
  ms: number,
  wait: Promise<T>,
  failure: Error,
  isFree: () => boolean,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    const arm = (): void => {
      timer = setTimeout(() => (isFree() ? arm() : reject(failure)), ms);
    };
    arm();
  });
  try {
    return await Promise.race([wait, over]);
  } finally {
    clearTimeout(timer);
  }
}

function unlessAborted<T>(wait: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    const forget = (): void => signal.removeEventListener('abort', abort);
    wait.then(resolve, reject).finally(forget);
  });
}
