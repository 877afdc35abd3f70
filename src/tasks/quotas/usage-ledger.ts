import { Inject, Injectable } from '@nestjs/common';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { longTurn } from '../../common/long-work.js';
import { Signal } from '../../common/signal.js';
import {
  type AppliedLimit,
  isUsedUp,
  type LimitSubject,
  nameOf,
  NO_SUBJECT,
  usedUp,
} from '../../limits/index.js';
import { QuotaLimits, type Limits } from './quota-limits.js';
import { TaskStore } from '../store/task-store.js';
import { UsageStore } from '../store/usage-store.js';
import { dayOf, type OwnedUsageChange, type Usage, type UsageOwner } from '../store/usage.js';
import { type UsageAccount, UsageAccounts } from './usage-accounts.js';

/** How often what other processes have changed is read. */
const READ_EVERY_MS = 2000;
/** Changes are asked for from so much earlier: clocks differ, and commits take time. */
const MARGIN_MS = 60_000;
/** Owners that are asked for at once, whether they are stored still. */
const PIECE = 256;
/** Reads of one turn, in which all owners are asked for: half a minute. */
const READS = 15;

/**
 * What every organization and principal uses, in memory: what this process commits at once
 * (what it commits while the database is read may be missing until the next read, some seconds), and some seconds behind
 * for what others do. Owners whose usage was deleted are forgotten: all are asked for in a turn of {@link READS} reads, however many there are.
 * It refuses what would begin beyond a quota; what has begun may end, so that answers can take an owner somewhat over
 * the stored bytes.
 */
@Injectable()
export class UsageLedger {
  private readonly accounts = new UsageAccounts();
  /** Those that are still to be asked for in this turn. */
  private turn: Iterator<UsageAccount> | undefined;
  private readonly refused = new Signal<string>();
  private readAt: Date | null = null;
  private readonly job: BackgroundJob;

  constructor(
    @Inject(TaskStore) tasks: Pick<TaskStore, 'onUsed'>,
    @Inject(UsageStore) private readonly store: Pick<UsageStore, 'read' | 'missing'>,
    private readonly limits: QuotaLimits,
    private readonly clock: Clock,
    @Inject(Log) logger: Pick<Log, 'warn' | 'info'>,
  ) {
    const rules = {
      name: 'quota usage',
      failure: 'reading the quota usage failed',
      everyMs: READ_EVERY_MS,
      run: () => this.read(),
    };
    this.job = new BackgroundJob(rules, clock, logger);
    tasks.onUsed((changes) => this.committed(changes));
  }

  /** Resolves when the usage of all owners is known. */
  async start(): Promise<void> {
    await this.read();
    this.job.start();
  }

  stop(): Promise<void> {
    return this.job.stop();
  }

  /** After each commit of this process, with what it has changed. */
  committed(changes: readonly OwnedUsageChange[]): void {
    for (const change of changes) this.apply(change);
  }

  /** Calls `listener` with the quota (`principal.openTasks`) of each refusal. */
  onRefused(listener: (quota: string) => void): void {
    this.refused.listen(listener);
  }

  /**
   * Counts a task that is about to begin; the function it gives is to be called once it has, or has not.
   * Throws QUOTA_EXCEEDED when it would be one too many, or when too much is stored.
   */
  reserve(owner: UsageOwner): () => void {
    const accounts = this.check(owner, true);
    for (const account of accounts) account.reserved += 1;
    return () => {
      for (const account of accounts) account.reserved -= 1;
    };
  }

  /** Throws QUOTA_EXCEEDED when too much is stored already for a further message. */
  checkStored(owner: UsageOwner): void {
    this.check(owner, false);
  }

  ofPrincipal(owner: UsageOwner): Usage {
    return this.view(this.accounts.principal(owner));
  }

  ofOrganization(organization: string): Usage {
    return this.view(this.accounts.organization(organization));
  }

  /** All of them together. */
  total(): Usage {
    const sum = { openTasks: 0, tasksToday: 0, storedBytes: 0 };
    for (const account of this.accounts.allOrganizations()) {
      const { openTasks, tasksToday, storedBytes } = this.view(account);
      sum.openTasks += openTasks;
      sum.tasksToday += tasksToday;
      sum.storedBytes += storedBytes;
    }
    return sum;
  }

  /** The names of the organizations of which something is known, in order. */
  organizationNames(): string[] {
    return this.accounts.organizationNames();
  }

  /** The principals of an organization of which something is known, in order. */
  principalsOf(organization: string): string[] {
    return this.accounts.principalsOf(organization);
  }

  /** The organization of a principal of which something is known. */
  organizationOf(principalId: string): string | undefined {
    return this.accounts.organizationOf(principalId);
  }

  /** Reads what has changed in the database. */
  async read(): Promise<void> {
    const { store, clock } = this;
    const now = clock.now();
    const since = this.readAt && new Date(this.readAt.getTime() - MARGIN_MS);
    for (const { organization, principalId, ...usage } of await store.read(now, since)) {
      this.become(this.accounts.of({ organization, principalId })[0], usage);
    }
    this.readAt = now;
    await this.forgetDeleted();
  }

  /** Asks for its share of the owners; and goes on where one was deleted, as all those of an organization are. */
  private async forgetDeleted(): Promise<void> {
    let left = Math.max(1, Math.ceil(this.accounts.principalCount / PIECE / READS));
    for (;;) {
      left -= 1;
      const hasForgotten = await this.forgetSome();
      if (this.turn === undefined || (left <= 0 && !hasForgotten)) return;
      await longTurn();
    }
  }

  /** Forgets those of the next piece that are stored no longer; false when there were none. */
  private async forgetSome(): Promise<boolean> {
    const piece = this.nextPiece();
    const versions = new Map(piece.map((account) => [account, account.version]));
    const missing = await this.store.missing(piece.map(({ owner }) => owner));
    for (const owner of missing) {
      const account = this.accounts.principal(owner);
      // What was committed meanwhile may be newer than the answer.
      if (account === undefined || versions.get(account) !== account.version) continue;
      this.become(account, { openTasks: 0, tasksToday: 0, storedBytes: 0 });
      this.accounts.forget(owner);
    }
    return missing.length > 0;
  }

  private nextPiece(): UsageAccount[] {
    const turn = (this.turn ??= this.accounts.allPrincipals());
    const piece: UsageAccount[] = [];
    while (piece.length < PIECE) {
      const next = turn.next();
      if (next.done === true) {
        this.turn = undefined;
        break;
      }
      piece.push(next.value);
    }
    return piece;
  }

  private become(account: UsageAccount, usage: Usage): void {
    const isToday = account.day === dayOf(this.clock.now());
    this.apply({
      owner: account.owner,
      openTasks: usage.openTasks - account.openTasks,
      begun: usage.tasksToday - (isToday ? account.begun : 0),
      storedBytes: usage.storedBytes - account.storedBytes,
    });
  }

  private check(owner: UsageOwner, isTask: boolean): readonly UsageAccount[] {
    const { limits } = this;
    const [ofPrincipal, ofOrganization] = this.accounts.of(owner);
    const { organization, principalId: principal } = owner;
    const [own, all] = [limits.ofPrincipal(principal), limits.ofOrganization(organization)];
    this.checkOne(ofPrincipal, own, { ...NO_SUBJECT, principal }, isTask);
    this.checkOne(ofOrganization, all, { ...NO_SUBJECT, organization }, isTask);
    return [ofPrincipal, ofOrganization];
  }

  private checkOne(
    account: UsageAccount,
    limits: Limits,
    subject: LimitSubject,
    isTask: boolean,
  ): void {
    const { storedBytes, tasksToday, openTasks } = this.view(account);
    const { reserved } = account;
    this.checkKind(
      { subject, kind: 'storedBytes', max: limits.storedBytes, takes: 0 },
      storedBytes,
    );
    if (!isTask) return;
    const ofDay = { subject, kind: 'tasksPerDay', max: limits.tasksPerDay, takes: 1 } as const;
    this.checkKind(ofDay, tasksToday + reserved);
    const open = { subject, kind: 'openTasks', max: limits.openTasks, takes: 1 } as const;
    this.checkKind(open, openTasks + reserved);
  }

  private checkKind(limit: AppliedLimit, used: number): void {
    if (!isUsedUp(limit, used)) return;
    this.refused.emit(nameOf(limit));
    throw usedUp(limit, used, this.clock.now());
  }

  private apply({ owner, openTasks, begun, storedBytes }: OwnedUsageChange): void {
    const day = dayOf(this.clock.now());
    for (const account of this.accounts.of(owner)) {
      account.version += 1;
      if (account.day !== day) Object.assign(account, { day, begun: 0 });
      account.openTasks += openTasks;
      account.begun += begun;
      account.storedBytes += storedBytes;
    }
  }

  private view(account: UsageAccount | undefined): Usage {
    if (account === undefined) return { openTasks: 0, tasksToday: 0, storedBytes: 0 };
    const isToday = account.day === dayOf(this.clock.now());
    return {
      openTasks: Math.max(0, account.openTasks),
      tasksToday: isToday ? Math.max(0, account.begun) : 0,
      storedBytes: Math.max(0, account.storedBytes),
    };
  }
}
