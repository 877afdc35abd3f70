import type { ConnectionWatch } from '../../agents/index.js';
import type { Watchdog } from '../../common/watchdog.js';

export interface ConnectionWaitDeps {
  /** Ends the call when the agent takes too long; it is paused while the call waits. */
  readonly watchdog: Pick<Watchdog, 'arm' | 'disarm'>;
  /** How long the agent may take from when the call is on its way, in milliseconds. */
  readonly ms: number;
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
  /** Called when the call begins to wait, and when it no longer waits. */
  readonly onChange: (waits: boolean) => void;
}

/** The wait of one call for its connection: the agent's time does not run meanwhile. */
export class ConnectionWait implements ConnectionWatch {
  private waitsSince: number | undefined;

  constructor(private readonly deps: ConnectionWaitDeps) {}

  /** How long it has been waiting; 0 when it does not. */
  get waitedMs(): number {
    return this.waitsSince === undefined ? 0 : this.deps.now() - this.waitsSince;
  }

  wanted(): void {
    this.deps.watchdog.disarm();
    if (this.waitsSince !== undefined) return;
    this.waitsSince = this.deps.now();
    this.deps.onChange(true);
  }

  given(): void {
    this.done();
    this.deps.watchdog.arm(this.deps.ms);
  }

  /** The call has ended, perhaps without a connection. */
  done(): void {
    if (this.waitsSince === undefined) return;
    this.waitsSince = undefined;
    this.deps.onChange(false);
  }
}
