import type { Clock } from './clock.js';
import type { Log } from './logger.js';

/**
 * What a run may say of the next one: it comes after so many milliseconds instead of the period, or never
 * (`'done'`).
 */
export type NextRun = number | 'done' | undefined;

/** Work that is done again and again beside the requests. */
export interface JobRules {
  /** Names it in the log. */
  readonly name: string;
  /** What the log says when a run has failed. */
  readonly failure: string;
  /** From the end of one run to the next; without it the job runs when it is woken. */
  readonly everyMs?: number;
  /** The first run begins with the job, not a period later. */
  readonly atOnce?: boolean;
  /** `signal` is aborted when the process stops: a long run ends early then. */
  readonly run: (signal: AbortSignal) => NextRun | Promise<NextRun> | void | Promise<void>;
}

/**
 * A job of the process: runs every so often and when it is woken, never twice at once. A run that fails is
 * logged, the same failure once until a run works again, and the job goes on.
 */
export class BackgroundJob {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private isWoken = false;
  private endPause: (() => void) | undefined;
  /** Why the last run failed. */
  private trouble: string | undefined;

  constructor(
    private readonly rules: JobRules,
    private readonly clock: Clock,
    private readonly log: Pick<Log, 'warn' | 'info'>,
  ) {}

  /** More than once does no harm. */
  start(): void {
    this.running ??= this.loop(this.stopping.signal);
  }

  /** It runs at once; when it is running, once more after that. */
  wake(): void {
    this.isWoken = true;
    this.endPause?.();
  }

  /** Begins no further run; resolves when the one under way has ended. To be called when the process stops. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.endPause?.();
    await this.running;
  }

  private async loop(signal: AbortSignal): Promise<void> {
    const { everyMs = Infinity, atOnce = false } = this.rules;
    let pauseMs = atOnce ? 0 : everyMs;
    for (;;) {
      await this.pause(pauseMs);
      if (signal.aborted) return;
      this.isWoken = false;
      const next = await this.once(signal);
      if (next === 'done') return;
      pauseMs = next ?? everyMs;
    }
  }

  private async pause(ms: number): Promise<void> {
    if (ms <= 0 || this.isWoken || this.stopping.signal.aborted) return;
    const { promise, end } = anEnd();
    this.endPause = end;
    const cancel = ms === Infinity ? undefined : this.clock.after(ms, end);
    await promise;
    cancel?.();
    this.endPause = undefined;
  }

  /** Never rejects. */
  private async once(signal: AbortSignal): Promise<NextRun> {
    const { name: job, failure, run } = this.rules;
    try {
      const next = await run(signal);
      if (this.trouble !== undefined) this.log.info({ job }, 'background job recovered');
      this.trouble = undefined;
      return next ?? undefined;
    } catch (error) {
      const trouble = String(error);
      if (trouble !== this.trouble) this.log.warn({ job, err: error }, failure);
      this.trouble = trouble;
      return undefined;
    }
  }
}

function anEnd(): { promise: Promise<void>; end: () => void } {
  let end: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => (end = resolve));
  return { promise, end };
}
