import { Inject, Injectable } from '@nestjs/common';
import { CallerOrganizations } from '../../auth/index.js';
import { Signal } from '../../common/signal.js';
import { BackgroundJob } from '../../common/background-job.js';
import { runLimits } from '../../common/capacity.js';
import { timeLeft } from '../../common/time-left.js';
import { AppConfig } from '../../config/index.js';
import { Database } from '../../database/database.js';
import { isEnded } from '../domain/delegation-state.js';
import { CANCELLED } from './cancelled.js';
import { Signals } from '../signals/signals.js';
import type { Claimer } from '../log/task-log.js';
import type { ClaimedDelegation } from '../store/claimed-task.js';
import { TaskStore } from '../store/task-store.js';
import { DelegationRun } from './delegation-run.js';
import { Leases } from './leases.js';
import { RunPermit, type PermitHolder, RunPermits } from '../capacity/run-permits.js';
import { requeue } from './requeue.js';
import { RunDeps } from './run-deps.js';
import { QueueDepth } from '../capacity/queue-depth.js';

/** How often it is checked whether delegations still await the input of their clients. */
const CHECK_AWAITING_MS = 30_000;
/** How often it is checked whether more than one organization may send tasks. */
const CHECK_TENANTS_MS = 5000;
/** How often a process looks for work by itself; more often where notifications of others do not reach it. */
const LOOK_EVERY_MS = { sqlite: 1000, postgres: 250 } as const;
/** How long a clean stop waits at most for the first answers of messages on their way, and of cancels. */
const MAX_STOP_GRACE_MS = 5000;
/** A message that has waited for a connection for so long says so in its task. */
const NOTE_WAIT_AFTER_MS = 1000;

interface Running {
  readonly run: DelegationRun;
  readonly done: Promise<void>;
}

/**
 * Claims delegations and runs them, as many at once as the settings allow: when it is notified and at
 * intervals, and new ones of this process in the commit that creates them. Whichever process claims a
 * delegation, what its run needs is in the database.
 */
@Injectable()
export class TaskRunner implements Claimer {
  private readonly runs = new Map<string, Running>();
  private readonly permits: RunPermits;
  private readonly leases: Leases;
  private readonly stopping = new AbortController();
  private readonly unsubscribe: (() => void)[] = [];
  /** Delegations on their way back into the queue. */
  private readonly requeues = new Set<Promise<unknown>>();
  private started = false;
  private claiming: Promise<void> | undefined;
  private claimAgain = false;
  /** Pending cancels are claimed although there is no run permit: they need none. */
  private cancelsDue = false;
  private awaitingCheckedAt = -Infinity;
  /** A claim is under way, which may take all available permits. */
  private claimsAll = false;
  private tenantsCheckedAt = -Infinity;
  private readonly job: BackgroundJob;
  private readonly begun = new Signal<number>();

  /** Names this process in leases; new at every start. */
  readonly owner: string;
  readonly leaseMs: number;
  private readonly limit: ReturnType<typeof runLimits>;

  constructor(
    private readonly shared: RunDeps,
    private readonly store: TaskStore,
    private readonly signals: Signals,
    @Inject(QueueDepth) private readonly queues: Pick<QueueDepth, 'hasQueue'>,
    @Inject(CallerOrganizations)
    private readonly tenants: Pick<CallerOrganizations, 'areSeveral' | 'onAdded'>,
    private readonly database: Database,
    @Inject(AppConfig) private readonly config: Pick<AppConfig, 'tasks' | 'server'>,
  ) {
    const { clock, ids, logger, cancelPermits, load } = shared;
    this.owner = ids.next();
    this.leaseMs = config.tasks.leaseMs;
    this.limit = runLimits(config.tasks);
    this.permits = new RunPermits(this.limit.runs, load, cancelPermits);
    const { owner, leaseMs } = this;
    const owned = (): Iterable<string> => this.runs.keys();
    this.leases = new Leases({ store, owner, clock, leaseMs, owned });
    cancelPermits.onCapacity = (): void => this.lookForCancels();
    const rules = {
      name: 'leases',
      failure: 'renewing the leases of delegations failed',
      everyMs: LOOK_EVERY_MS[database.dialect],
      run: () => this.tick(),
    };
    this.job = new BackgroundJob(rules, clock, logger);
  }

  /** Calls `listener` for each delegation that is taken on for the first time, with the milliseconds it was queued. */
  onBegun(listener: (queuedMs: number) => void): void {
    this.begun.listen(listener);
  }

  reserve(delegations: readonly PermitHolder[]): boolean {
    if (this.available <= 0) return false;
    const acquired: PermitHolder[] = [];
    for (const each of delegations) {
      // What is queued for the agent already comes before.
      if (this.queues.hasQueue(each.agentId) || !this.permits.hasCapacity(each)) {
        for (const one of acquired) this.permits.release(one);
        return false;
      }
      this.permits.acquire(each);
      acquired.push(each);
    }
    return true;
  }

  release(delegations: readonly PermitHolder[]): void {
    for (const each of delegations) this.permits.release(each);
    if (delegations.length > 0) this.wake();
  }

  claimed(delegations: readonly ClaimedDelegation[]): void {
    for (const each of delegations) this.begin(each, true);
  }

  async start(): Promise<void> {
    const { store, signals, owner } = this;
    const { log, logger } = this.shared;
    await this.shared.prepare();
    this.started = true;
    // No other process can be at work, so all leases of others are void.
    if (this.database.soleProcess) {
      const released = await store.releaseOthers(owner);
      if (released > 0)
        logger.info(
          { delegations: released },
          'taking over the delegations of the previous process',
        );
    }
    this.unsubscribe.push(
      signals.onWork(() => this.wake()),
      signals.onDelegation((id) => this.runs.get(id)?.run.refresh()),
      // At once, so that what is reserved for a new organization is not taken by others.
      this.tenants.onAdded(() => this.checkTenantsNow()),
    );
    log.claimNew(this);
    await this.checkTenants();
    const { runs, limitedBy } = this.limit;
    logger.info({ delegations: runs, limitedBy }, 'concurrency limit for delegations');
    this.wake();
    this.job.start();
  }

  /**
   * Stops claiming, waits a moment for the first answers to messages on their way, and to cancels, then stops all
   * runs without writing, cuts those cancels and releases the leases: the next process adopts them at once.
   */
  async stop(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    this.stopping.abort(CANCELLED);
    for (const unsubscribe of this.unsubscribe) unsubscribe();
    await Promise.all([this.claiming, this.job.stop()]);
    await this.awaitFirstAnswers();
    const all = [...this.runs.values()];
    for (const { run } of all) run.stop();
    this.shared.stop.abort(CANCELLED);
    await Promise.all(all.map(({ done }) => done));
    while (this.requeues.size > 0) await Promise.all(this.requeues);
    if (this.started) await this.releaseLeases();
  }

  /** Without a database they expire by themselves. */
  private async releaseLeases(): Promise<void> {
    const { store, owner } = this;
    try {
      await store.release(owner);
    } catch (error) {
      this.shared.logger.warn(
        { err: error },
        'releasing the leases failed; they expire by themselves',
      );
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
        this.shared.logger.error({ err: error }, 'claiming delegations failed');
      })
      .finally(() => {
        this.claiming = undefined;
        if (!this.claimAgain) return;
        this.claimAgain = false;
        this.wake();
      });
  }

  private async claim(): Promise<void> {
    const { store, owner, leaseMs } = this;
    for (;;) {
      const limit = Math.max(0, this.available);
      if (limit === 0 && !this.cancelsDue) return;
      this.cancelsDue = false;
      let claimed: readonly ClaimedDelegation[];
      this.claimsAll = true;
      try {
        // Otherwise a process that was suspended for a while would adopt its own runs.
        const now = await this.leases.renewIfDue();
        claimed = await store.claim(owner, now, leaseMs, limit, this.permits);
      } finally {
        this.claimsAll = false;
      }
      for (const each of claimed) this.begin(each);
      if (limit === 0 || claimed.filter(({ cancelPending }) => !cancelPending).length < limit)
        return;
    }
  }

  private lookForCancels(): void {
    this.cancelsDue = true;
    this.wake();
  }

  /** Available permits; none once this stops. */
  private get available(): number {
    return this.stopping.signal.aborted || this.claimsAll ? 0 : this.permits.free;
  }

  /** `hasPermit`: a permit has been acquired for it. */
  private begin(claim: ClaimedDelegation, hasPermit = false): void {
    if (!this.started) return;
    if (this.stopping.signal.aborted) return this.requeue(claim);
    // A follow-up of a delegation whose last run is closing its stream: that run stops.
    this.runs.get(claim.id)?.run.stop();
    const { agentId, cancelPending } = claim;
    const { cancelPermits } = this.shared;
    this.noteQueued(claim);
    const hooks = {
      isContended: () => this.permits.isContended(agentId),
      released: () => this.wake(),
    };
    const permit = new RunPermit(this.permits, claim, hooks, hasPermit);
    const run = new DelegationRun(this.shared, claim, () => permit.adapt(run));
    permit.adapt(run);
    if (cancelPending) cancelPermits.acquire(agentId);
    const entry = { run, done: run.run() };
    this.runs.set(claim.id, entry);
    void entry.done.then(() => {
      if (this.runs.get(claim.id) === entry) this.runs.delete(claim.id);
      permit.done();
      if (cancelPending) cancelPermits.release(agentId);
    });
  }

  private noteQueued({ adopted, cancelPending, calls, begunAt }: ClaimedDelegation): void {
    if (adopted || cancelPending || calls > 1 || begunAt === null) return;
    this.begun.emit(Math.max(0, this.shared.clock.now().getTime() - begunAt.getTime()));
  }

  /** A stop waits for it. */
  private requeue(claim: ClaimedDelegation): void {
    const done = requeue(this.shared, claim).finally(() => this.requeues.delete(done));
    this.requeues.add(done);
  }

  private async tick(): Promise<void> {
    this.lookForCancels();
    await this.checkTenants();
    if (this.runs.size === 0) return;
    for (const { run } of this.runs.values()) void run.noteConnectionWait(NOTE_WAIT_AFTER_MS);
    await this.leases.renewIfDue();
    await this.compare();
  }

  private checkTenantsNow(): void {
    this.tenantsCheckedAt = -Infinity;
    this.checkTenants().catch((error: unknown) =>
      this.shared.logger.warn({ err: error }, 'counting the organizations of callers failed'),
    );
  }

  private async checkTenants(): Promise<void> {
    const now = this.shared.clock.monotonicMs();
    if (now - this.tenantsCheckedAt < CHECK_TENANTS_MS) return;
    this.tenantsCheckedAt = now;
    this.permits.several = await this.tenants.areSeveral();
  }

  /** Finds what other processes have changed about the delegations that run here. */
  private async compare(): Promise<void> {
    const before = [...this.runs];
    this.checkAwaitingInput();
    const owned = new Map((await this.store.owned(this.owner)).map((one) => [one.id, one]));
    for (const [id, { run }] of before) {
      const row = owned.get(id);
      if (run.awaitsInput) {
        // Ended by another process: its agent needs a cancel.
        if (row && isEnded(row.state)) run.refresh(true);
        continue;
      }
      const same = row?.epoch === run.claim.epoch && !row.cancelRequested;
      if (!same || isEnded(row.state)) run.refresh(true);
    }
  }

  /** Delegations that await input may be many, and are not compared: whether they still do is checked less often. */
  private checkAwaitingInput(): void {
    const now = this.shared.clock.monotonicMs();
    if (now - this.awaitingCheckedAt < CHECK_AWAITING_MS) return;
    this.awaitingCheckedAt = now;
    for (const { run } of this.runs.values()) if (run.awaitsInput) run.refresh(true);
  }

  private async awaitFirstAnswers(): Promise<void> {
    const waiting = [...this.runs.values()].filter(({ run }) => run.unanswered);
    if (waiting.length === 0) return;
    const { clock } = this.shared;
    const graceMs = Math.min(this.config.server.drainMs / 2, MAX_STOP_GRACE_MS);
    const left = timeLeft(clock, graceMs);
    while (left() > 0 && waiting.some(({ run }) => this.isOpen(run) && run.unanswered)) {
      await clock.sleep(50);
    }
  }

  private isOpen(run: DelegationRun): boolean {
    return this.runs.get(run.claim.id)?.run === run;
  }
}
