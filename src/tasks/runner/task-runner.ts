import type { Clock } from '../../common/clock.js';
import type { Log } from '../../common/logger.js';
import type { Signals } from '../signals.js';
import type { Claimer, TaskLog } from '../task-log.js';
import type { ClaimedDelegation, TaskStore } from '../task-store.js';
import { DelegationRun } from './delegation-run.js';
import { putBack } from './put-back.js';
import type { RunDeps } from './run-deps.js';
import { OVER } from '../over.js';

/** A lease is renewed when a third of it has passed. */
const RENEWALS_PER_LEASE = 3;

export interface RunnerSettings {
  readonly leaseMs: number;
  /** Delegations run at once. */
  readonly maxConcurrent: number;
  /** How often work, leases and changes by other processes are looked for without a ring. */
  readonly lookEveryMs: number;
  /** How long a clean stop waits for the first answers of messages on their way. */
  readonly stopGraceMs: number;
}

export interface TaskRunnerDeps {
  readonly log: TaskLog;
  readonly store: TaskStore;
  readonly signals: Signals;
  readonly clock: Clock;
  readonly logger: Log;
  /** Names this process in leases; new at every start. */
  readonly owner: string;
  readonly settings: RunnerSettings;
  /** Asked for once, at start. */
  readonly runDeps: () => Promise<RunDeps>;
}

/**
 * Claims delegations and runs them: as many as the settings allow at once, woken by rings and now and
 * then, and new ones of this process in the commit that creates them. Whichever process claims a
 * delegation, what its run needs is in the database.
 */
export class TaskRunner implements Claimer {
  private readonly runs = new Map<string, { run: DelegationRun; done: Promise<void> }>();
  private readonly stopping = new AbortController();
  private readonly leave: (() => void)[] = [];
  /** Delegations that came too late, on their way back into the queue. */
  private readonly late: Promise<void>[] = [];
  private shared: RunDeps | undefined;
  private claiming: Promise<void> | undefined;
  private claimAgain = false;
  private renewedAt = 0;
  /** Places held for delegations about to be created. */
  private reserved = 0;

  constructor(private readonly deps: TaskRunnerDeps) {}

  get owner(): string {
    return this.deps.owner;
  }

  get leaseMs(): number {
    return this.deps.settings.leaseMs;
  }

  reserve(wanted: number): number {
    const held = Math.max(0, Math.min(wanted, this.room));
    this.reserved += held;
    return held;
  }

  release(places: number): void {
    this.reserved -= places;
    if (places > 0) this.wake();
  }

  claimed(delegations: readonly ClaimedDelegation[]): void {
    this.reserved -= delegations.length;
    for (const each of delegations) this.begin(each);
  }

  /** `soleProcess`: nobody else can be at work (SQLite), so that all leases of others are void. */
  async start(soleProcess: boolean): Promise<void> {
    const { log, store, signals, owner, logger, clock } = this.deps;
    this.shared = await this.deps.runDeps();
    if (soleProcess) {
      const released = await store.releaseOthers(owner);
      if (released > 0)
        logger.info({ delegations: released }, 'adopting what the last process left');
    }
    this.renewedAt = clock.now().getTime();
    this.leave.push(
      signals.onWork(() => this.wake()),
      signals.onDelegation((id) => this.runs.get(id)?.run.poke()),
    );
    log.claimNew(this);
    this.wake();
    void this.lookRegularly();
  }

  /**
   * Stops claiming, lets messages on their way find out whether they were taken, then stops all runs
   * without a word and gives up their leases: the next process adopts them at once.
   */
  async stop(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    this.stopping.abort(OVER);
    for (const leave of this.leave) leave();
    await this.claiming;
    await this.grace();
    const all = [...this.runs.values()];
    for (const { run } of all) run.stop();
    await Promise.all([...all.map(({ done }) => done), ...this.late]);
    if (this.shared) await this.giveUpLeases();
  }

  /** Without a database they run out by themselves. */
  private async giveUpLeases(): Promise<void> {
    const { store, owner, logger } = this.deps;
    try {
      await store.release(owner);
    } catch (error) {
      logger.warn({ err: error }, 'leases were not given up; they run out by themselves');
    }
  }

  /** Claims what waits, unless that is under way; then once more after it. */
  private wake(): void {
    if (this.stopping.signal.aborted) return;
    if (this.claiming) {
      this.claimAgain = true;
      return;
    }
    this.claiming = this.claim()
      .catch((error: unknown) => {
        this.deps.logger.error({ err: error }, 'delegations could not be claimed');
      })
      .finally(() => {
        this.claiming = undefined;
        if (!this.claimAgain) return;
        this.claimAgain = false;
        this.wake();
      });
  }

  private async claim(): Promise<void> {
    const { store, owner, clock, settings } = this.deps;
    for (;;) {
      const held = this.reserve(settings.maxConcurrent);
      if (held === 0) return;
      const claimed = await store
        .claim(owner, clock.now(), settings.leaseMs, held)
        .finally(() => (this.reserved -= held));
      for (const each of claimed) this.begin(each);
      if (claimed.length < held) return;
    }
  }

  /** Free places; none once this stops. */
  private get room(): number {
    if (this.stopping.signal.aborted) return 0;
    return this.deps.settings.maxConcurrent - this.runs.size - this.reserved;
  }

  private begin(claim: ClaimedDelegation): void {
    if (!this.shared) return;
    if (this.stopping.signal.aborted) {
      this.late.push(putBack(this.shared, claim));
      return;
    }
    // A follow-up of a delegation whose last run is closing its stream: the old one steps aside.
    this.runs.get(claim.id)?.run.stop();
    const run = new DelegationRun(this.shared, claim);
    const entry = { run, done: run.run() };
    this.runs.set(claim.id, entry);
    void entry.done.then(() => {
      if (this.runs.get(claim.id) === entry) this.runs.delete(claim.id);
      // It was full: somebody may be waiting.
      if (this.room === 1) this.wake();
    });
  }

  private async lookRegularly(): Promise<void> {
    const { clock, logger, settings } = this.deps;
    const { signal } = this.stopping;
    for (;;) {
      await clock.sleep(settings.lookEveryMs, signal);
      if (signal.aborted) return;
      this.wake();
      if (this.runs.size === 0) continue;
      try {
        await this.renew();
        await this.compare();
      } catch (error) {
        logger.error({ err: error }, 'leases could not be looked after');
      }
    }
  }

  /** Renews all leases when it is time; a run whose lease is somebody else's stops. */
  private async renew(): Promise<void> {
    const { store, owner, clock, settings } = this.deps;
    const now = clock.now().getTime();
    if (now - this.renewedAt < settings.leaseMs / RENEWALS_PER_LEASE) return;
    this.renewedAt = now;
    await store.renew(owner, [...this.runs.keys()], new Date(now + settings.leaseMs));
  }

  /** Finds what other processes have changed about the delegations that run here. */
  private async compare(): Promise<void> {
    const before = new Map(this.runs);
    const owned = new Map(
      (await this.deps.store.owned(this.deps.owner)).map((one) => [one.id, one]),
    );
    for (const [id, { run }] of before) {
      const row = owned.get(id);
      const same = row?.epoch === run.claim.epoch && !row.cancelRequested;
      if (!same || row.state === 'queued') run.poke(true);
    }
  }

  private async grace(): Promise<void> {
    const waiting = [...this.runs.values()].filter(({ run }) => run.unanswered);
    if (waiting.length === 0) return;
    const { clock, settings } = this.deps;
    const end = clock.now().getTime() + settings.stopGraceMs;
    while (
      clock.now().getTime() < end &&
      waiting.some(({ run }) => this.isOpen(run) && run.unanswered)
    ) {
      await clock.sleep(50);
    }
  }

  private isOpen(run: DelegationRun): boolean {
    return this.runs.get(run.claim.id)?.run === run;
  }
}
