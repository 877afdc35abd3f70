import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { evictOldest } from '../common/evict-oldest.js';
import { Log } from '../common/logger.js';
import { Signal } from '../common/signal.js';
import { Database } from '../database/database.js';
import { WorkerWatch } from '../database/worker-watch.js';
import { nameOf } from './domain/applied-limit.js';
import { LeasedRate } from './domain/leased-rate.js';
import { type Limit, subjectKey, subjectOf } from './domain/limit.js';
import { type Rate, rateExceeded } from './domain/rate.js';
import { LimitRegistry } from './limit-registry.js';
import { RateLeases } from './rate-leases.js';
import { RateStore } from './rate-store.js';

/** Points for the next second are taken when so much of this one is left. */
const AHEAD_MS = 300;
/** Rates that are remembered at once. */
const REMEMBERED = 20_000;

interface Counted {
  readonly rate: Rate;
  readonly leased: LeasedRate;
}

/** An owner of requests. */
interface Owner {
  readonly organization: string;
  readonly principalId: string;
}

/**
 * How many requests a second the limits allow. Processes on one database take points for a second ahead and spend them
 * in memory; without the database each has its part of the limit, and on SQLite the only process has all of it.
 */
@Injectable()
export class RequestRates {
  private readonly rates = new Map<string, LeasedRate>();
  private readonly leases: RateLeases;
  private readonly refused = new Signal<string>();

  constructor(
    store: RateStore,
    @Inject(LimitRegistry)
    private readonly registry: Pick<
      LimitRegistry,
      'hasRates' | 'hasTargetRates' | 'ofOrganization' | 'ofPrincipal' | 'ofTarget'
    >,
    @Inject(Database) private readonly database: Pick<Database, 'soleProcess'>,
    @Inject(WorkerWatch) private readonly workers: Pick<WorkerWatch, 'count'>,
    clock: Clock,
    log: Log,
  ) {
    this.leases = new RateLeases(store, clock, log);
  }

  /** Calls `listener` with the name of the limit (`agent.requestsPerSecond`) of each refusal. */
  onRefused(listener: (name: string) => void): void {
    this.refused.listen(listener);
  }

  /** Processes keep their part by themselves, because the database is away. */
  get isApart(): boolean {
    return !this.database.soleProcess && this.leases.isAway;
  }

  /** A limit says how many requests this principal has, whatever the settings say. */
  isSetFor(principal: string): boolean {
    if (!this.registry.hasRates) return false;
    return (this.registry.ofPrincipal(principal)?.requestsPerSecond ?? null) !== null;
  }

  /** Counts a request of a caller. Rejects with RATE_LIMITED when it is one too many; undefined: nothing to wait for. */
  countRequest({ organization, principalId }: Owner): Promise<unknown> | undefined {
    const { registry } = this;
    if (!registry.hasRates) return undefined;
    const limits = [registry.ofPrincipal(principalId), registry.ofOrganization(organization)];
    const rates = limits.flatMap((limit) => (limit === undefined ? [] : rateOf(limit)));
    return rates.length === 0 ? undefined : this.count(rates);
  }

  /** Some limit says how many messages an agent or a skill gets. */
  get hasTargets(): boolean {
    return this.registry.hasTargetRates;
  }

  /**
   * Counts a message that is given to these agents. Rejects with RATE_LIMITED, with the agent in its metadata. The
   * function it gives is to be called when the message is not given to them after all, within the same second.
   */
  async countMessage(
    owner: Owner,
    targets: readonly { readonly agentId: string; readonly skillId: string | null }[],
  ): Promise<() => void> {
    const limits = new Set(targets.flatMap((target) => this.registry.ofTarget(owner, target)));
    const spent = await this.count([...limits].flatMap(rateOf));
    return () => {
      for (const takeBack of spent) takeBack();
    };
  }

  /** One of each, or none of any; what it gives takes each back. Waits only where no points are in memory: for the first after a pause, or a burst. */
  private async count(rates: readonly Rate[]): Promise<(() => void)[]> {
    const counted = rates.map((rate) => ({ rate, leased: this.leasedOf(rate) }));
    this.turn(counted);
    for (const { leased } of counted) leased.want();
    for (;;) {
      const lacking = counted.find(({ leased }) => !this.has(leased));
      if (lacking === undefined) break;
      if (lacking.leased.isUsedUp || this.isAlone) throw this.refusalOf(lacking.rate);
      this.leases.ask(lacking.leased, false);
      await this.leases.answer();
      this.turn(counted);
    }
    return counted.map(({ leased }) => {
      const takeBack = leased.spend();
      this.renew(leased);
      return takeBack;
    });
  }

  private turn(counted: readonly Counted[]): void {
    const second = Math.floor(this.leases.now() / 1000);
    for (const { leased } of counted) leased.turnTo(second);
  }

  private has(leased: LeasedRate): boolean {
    return leased.left > 0 || (this.isAlone && leased.spent < this.shareOf(leased));
  }

  /** Nothing can be taken: this process decides by itself. */
  private get isAlone(): boolean {
    return this.database.soleProcess || this.leases.isAway;
  }

  /** Of several processes each has its part, so that together they stay near the limit; at least one request. */
  private shareOf({ max }: LeasedRate): number {
    return Math.ceil(max / (this.database.soleProcess ? 1 : Math.max(1, this.workers.count ?? 1)));
  }

  /** Before the points are gone, and before the next second begins. */
  private renew(leased: LeasedRate): void {
    if (this.isAlone) return;
    if (leased.isLow) this.leases.ask(leased, false);
    const isLate = 1000 - (this.leases.now() % 1000) <= AHEAD_MS;
    if (isLate && leased.beginsAhead()) this.leases.ask(leased, true);
  }

  private leasedOf({ subject, max }: Rate): LeasedRate {
    const key = subjectKey(subject);
    let leased = this.rates.get(key);
    if (leased === undefined) {
      evictOldest(this.rates, REMEMBERED);
      leased = new LeasedRate(hash('sha256', key, 'base64url'), max);
      this.rates.set(key, leased);
    }
    leased.max = max;
    return leased;
  }

  private refusalOf(rate: Rate): Error {
    this.refused.emit(nameOf({ subject: rate.subject, kind: 'requestsPerSecond' }));
    return rateExceeded(rate);
  }
}

function rateOf(limit: Limit): Rate[] {
  const { requestsPerSecond } = limit;
  return requestsPerSecond ? [{ subject: subjectOf(limit), max: requestsPerSecond }] : [];
}
