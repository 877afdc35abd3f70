import { Inject, Injectable } from '@nestjs/common';
import { ApiKeyStore } from '../../auth/index.js';
import { BackgroundJob } from '../../common/background-job.js';
import { runLimits } from '../../common/capacity.js';
import { AppConfig } from '../../config/index.js';
import { Database } from '../../database/database.js';
import { isEnded } from '../domain/delegation-state.js';
import { OVER } from './cancelled.js';
import { Signals } from '../signals/signals.js';
import type { Claimer } from '../task-log.js';
import { type ClaimedDelegation, TaskStore } from '../task-store.js';
import { DelegationRun } from './delegation-run.js';
import { Leases } from './leases.js';
import { Place, type PlaceFor, Places } from '../capacity/run-permits.js';
import { putBack } from './put-back.js';
import { RunDeps } from './run-deps.js';
import { WaitingLine } from '../capacity/queue-depth.js';

/** How often is looked whether a question still waits for its answer. */
const LOOK_AT_ASKED_MS = 30_000;
/** How often is looked whether more than one organization may come. */
const LOOK_AT_TENANTS_MS = 5000;
/** How often a process looks for work by itself; more often where notifications of others do not reach it. */
const LOOK_EVERY_MS = { sqlite: 1000, postgres: 250 } as const;
/** How long a clean stop waits at most for the first answers of messages on their way. */
const MAX_STOP_GRACE_MS = 5000;
/** A message that has waited for a connection for so long says so in its task. */
const TELL_WAIT_AFTER_MS = 1000;

interface Running {
  readonly run: DelegationRun;
  readonly done: Promise<void>;
}

/**
 * Claims delegations and runs them: as many as the settings allow at once, woken by rings and now and
 * then, and new ones of this process in the commit that creates them. Whichever process claims a
 * delegation, what its run needs is in the database.
 */
@Injectable()
export class TaskRunner implements Claimer {
  private readonly runs = new Map<string, Running>();
  private readonly places: Places;
  private readonly leases: Leases;
  private readonly stopping = new AbortController();
  private readonly leave: (() => void)[] = [];
  /** Delegations on their way back into the queue. */
  private readonly late = new Set<Promise<unknown>>();
  private started = false;
  private claiming: Promise<void> | undefined;
  private claimAgain = false;
  /** Farewells are looked for although there is no place: now and then, for they take none. */
  private farewellsDue = false;
  private lookedAtAskedAt = 0;
  /** A claim is under way, which may take all free places. */
  private holdsAll = false;
  private lookedAtTenantsAt = -Infinity;
  private readonly job: BackgroundJob;

  /** Names this process in leases; new at every start. */
  readonly owner: string;
  readonly leaseMs: number;
  private readonly limit: ReturnType<typeof runLimits>;

  constructor(
    private readonly shared: RunDeps,
    private readonly store: TaskStore,
    private readonly signals: Signals,
    @Inject(WaitingLine) private readonly line: Pick<WaitingLine, 'waitsFor'>,
    @Inject(ApiKeyStore)
    private readonly tenants: Pick<ApiKeyStore, 'hasSeveralOrganizations' | 'onAdded'>,
    private readonly database: Database,
    @Inject(AppConfig) private readonly config: Pick<AppConfig, 'tasks' | 'server'>,
  ) {
    const { clock, ids, logger, farewells, load } = shared;
    this.owner = ids.next();
    this.leaseMs = config.tasks.leaseMs;
    this.limit = runLimits(config.tasks);
    this.places = new Places(this.limit.runs, load, farewells);
    const { owner, leaseMs } = this;
    const held = (): Iterable<string> => this.runs.keys();
    this.leases = new Leases({ store, owner, clock, leaseMs, held });
    farewells.onRoom = (): void => this.lookForFarewells();
    const rules = {
      name: 'leases',
      failure: 'renewing the leases of delegations failed',
      everyMs: LOOK_EVERY_MS[database.dialect],
      run: () => this.look(),
    };
    this.job = new BackgroundJob(rules, clock, logger);
  }

  reserve(delegations: readonly PlaceFor[]): boolean {
    if (this.room <= 0) return false;
    const taken: PlaceFor[] = [];
    for (const each of delegations) {
      // Whoever waits for the agent already comes before.
      if (this.line.waitsFor(each.agentId) || !this.places.hasRoom(each)) {
        for (const one of taken) this.places.give(one);
        return false;
      }
      this.places.take(each);
      taken.push(each);
    }
    return true;
  }

  release(delegations: readonly PlaceFor[]): void {
    for (const each of delegations) this.places.give(each);
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
    this.leave.push(
      signals.onWork(() => this.wake()),
      signals.onDelegation((id) => this.runs.get(id)?.run.poke()),
      // At once, so that nobody fills what is to be kept for a new organization.
      this.tenants.onAdded(() => this.noticeTenants()),
    );
    log.claimNew(this);
    await this.lookAtTenants();
    const { runs, limitedBy } = this.limit;
    logger.info({ delegations: runs, limitedBy }, 'concurrency limit for delegations');
    this.wake();
    this.job.start();
  }

  /**
   * Stops claiming, lets messages on their way find out whether they were taken, then stops all runs
   * without a word and gives up their leases: the next process adopts them at once.
   */
  async stop(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    this.stopping.abort(OVER);
    for (const leave of this.leave) leave();
    await Promise.all([this.claiming, this.job.stop()]);
    await this.grace();
    const all = [...this.runs.values()];
    for (const { run } of all) run.stop();
    await Promise.all(all.map(({ done }) => done));
    while (this.late.size > 0) await Promise.all(this.late);
    if (this.started) await this.giveUpLeases();
  }

  /** Without a database they run out by themselves. */
  private async giveUpLeases(): Promise<void> {
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
      const held = Math.max(0, this.room);
      if (held === 0 && !this.farewellsDue) return;
      this.farewellsDue = false;
      let claimed: readonly ClaimedDelegation[];
      this.holdsAll = true;
      try {
        // Or this process, when it was stopped for a while, would take its own runs for left behind.
        const now = await this.leases.keep();
        claimed = await store.claim(owner, now, leaseMs, held, this.places);
      } finally {
        this.holdsAll = false;
      }
      for (const each of claimed) this.begin(each);
      if (held === 0 || claimed.filter(({ untold }) => !untold).length < held) return;
    }
  }

  private lookForFarewells(): void {
    this.farewellsDue = true;
    this.wake();
  }

  /** Free places; none once this stops. */
  private get room(): number {
    return this.stopping.signal.aborted || this.holdsAll ? 0 : this.places.free;
  }

  /** `hasPlace`: a place has been taken for it. */
  private begin(claim: ClaimedDelegation, hasPlace = false): void {
    if (!this.started) return;
    if (this.stopping.signal.aborted) return this.giveBack(claim);
    // A follow-up of a delegation whose last run is closing its stream: the old one steps aside.
    this.runs.get(claim.id)?.run.stop();
    const { agentId, untold } = claim;
    const { farewells } = this.shared;
    const hooks = {
      isAwaited: () => this.places.isTight(agentId),
      freed: () => this.wake(),
    };
    const place = new Place(this.places, claim, hooks, hasPlace);
    const run = new DelegationRun(this.shared, claim, () => place.adapt(run));
    place.adapt(run);
    if (untold) farewells.enter(agentId);
    const entry = { run, done: run.run() };
    this.runs.set(claim.id, entry);
    void entry.done.then(() => {
      if (this.runs.get(claim.id) === entry) this.runs.delete(claim.id);
      place.done();
      if (untold) farewells.leave(agentId);
    });
  }

  /** Awaited by a stop. */
  private giveBack(claim: ClaimedDelegation): void {
    const done = putBack(this.shared, claim).finally(() => this.late.delete(done));
    this.late.add(done);
  }

  private async look(): Promise<void> {
    this.lookForFarewells();
    await this.lookAtTenants();
    if (this.runs.size === 0) return;
    for (const { run } of this.runs.values()) void run.tellWait(TELL_WAIT_AFTER_MS);
    await this.leases.keep();
    await this.compare();
  }

  private noticeTenants(): void {
    this.lookedAtTenantsAt = -Infinity;
    this.lookAtTenants().catch((error: unknown) =>
      this.shared.logger.warn({ err: error }, 'counting the organizations with keys failed'),
    );
  }

  private async lookAtTenants(): Promise<void> {
    const now = this.shared.clock.now().getTime();
    if (now - this.lookedAtTenantsAt < LOOK_AT_TENANTS_MS) return;
    this.lookedAtTenantsAt = now;
    this.places.several = await this.tenants.hasSeveralOrganizations();
  }

  /** Finds what other processes have changed about the delegations that run here. */
  private async compare(): Promise<void> {
    const before = [...this.runs];
    this.lookAtAsked();
    const owned = new Map((await this.store.owned(this.owner)).map((one) => [one.id, one]));
    for (const [id, { run }] of before) {
      const row = owned.get(id);
      if (run.asked) {
        // Ended by another process: its agent is to be told.
        if (row && isEnded(row.state)) run.poke(true);
        continue;
      }
      const same = row?.epoch === run.claim.epoch && !row.cancelRequested;
      if (!same || isEnded(row.state)) run.poke(true);
    }
  }

  /** What waits for its client may be much, and is not compared: whether it still waits is seen less often. */
  private lookAtAsked(): void {
    const now = this.shared.clock.now().getTime();
    if (now - this.lookedAtAskedAt < LOOK_AT_ASKED_MS) return;
    this.lookedAtAskedAt = now;
    for (const { run } of this.runs.values()) if (run.asked) run.poke(true);
  }

  private async grace(): Promise<void> {
    const waiting = [...this.runs.values()].filter(({ run }) => run.unanswered);
    if (waiting.length === 0) return;
    const { clock } = this.shared;
    const graceMs = Math.min(this.config.server.drainMs / 2, MAX_STOP_GRACE_MS);
    const end = clock.now().getTime() + graceMs;
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
