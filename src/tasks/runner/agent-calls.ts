import {
  AGENT_TOO_LATE,
  type Agent,
  type AgentBudgets,
  type AgentCallOptions,
} from '../../agents/index.js';
import { Watchdog } from '../../common/watchdog.js';
import { CANCELLED } from './cancelled.js';
import { ConnectionWait } from './connection-wait.js';
import type { RunDeps } from './run-deps.js';

/** The calls of one run to its agent: their time limits, their waits for a connection, and their end. */
export class AgentCalls {
  private readonly controller = new AbortController();
  /** Give back what the answers hold that are not stored yet. */
  private readonly answers: (() => void)[] = [];
  /** The call that takes the message to the agent, as far as it waits for a connection. */
  private messageWait: ConnectionWait | undefined;

  constructor(
    private readonly deps: Pick<RunDeps, 'clock' | 'load'>,
    private readonly agent: Agent,
    private readonly budgets: AgentBudgets,
    /** What every call carries. */
    private readonly optionsOf: (signal: AbortSignal) => AgentCallOptions,
  ) {}

  /** Aborts every call. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** How long the message has been waiting for a connection; 0 when it does not wait. */
  get messageWaitedMs(): number {
    return this.messageWait?.waitedMs ?? 0;
  }

  /** Ends every call. */
  close(): void {
    this.releaseAnswers();
    this.controller.abort(CANCELLED);
  }

  /** Sleeps, but not beyond the end of the run. */
  sleep(ms: number): Promise<void> {
    return this.deps.clock.sleep(ms, this.signal);
  }

  /** What was answered is stored, or not needed any more. */
  releaseAnswers(): void {
    for (const release of this.answers.splice(0)) release();
  }

  /**
   * The wait for a connection of a call that `watchdog` ends: the agent's `ms` begin when the call is on
   * its way. `isMessage`: it takes the message to the agent. `done` is called at its end.
   */
  connectionWait(watchdog: Watchdog, ms: number, isMessage: boolean): ConnectionWait {
    const { clock, load } = this.deps;
    const wait = new ConnectionWait({
      watchdog,
      ms,
      now: () => clock.monotonicMs(),
      onChange: (waits) => load.connecting(this.agent.id, waits ? 1 : -1),
    });
    if (isMessage) this.messageWait = wait;
    return wait;
  }

  /**
   * One call to the agent that may take `ms` from when it is on its way; its signal aborts then, and with
   * the run.
   */
  async within<T>(
    ms: number,
    call: (options: AgentCallOptions) => Promise<T>,
    isMessage = false,
  ): Promise<T> {
    const limit = new AbortController();
    const stop = (): void => limit.abort(CANCELLED);
    this.signal.addEventListener('abort', stop);
    if (this.signal.aborted) stop();
    // A shorter time may be too short for any agent.
    const hadItsTime = ms >= this.budgets.firstEventMs;
    const late = (): void => limit.abort(hadItsTime ? AGENT_TOO_LATE : CANCELLED);
    const watchdog = new Watchdog(this.deps.clock, late);
    watchdog.arm(ms);
    const connection = this.connectionWait(watchdog, ms, isMessage);
    // What was answered before and not stored is not needed any more.
    this.releaseAnswers();
    const retain = (release: () => void): void => void this.answers.push(release);
    try {
      return await call({ ...this.optionsOf(limit.signal), connection, retain });
    } finally {
      watchdog.disarm();
      connection.done();
      this.signal.removeEventListener('abort', stop);
    }
  }
}
