import { Injectable } from '@nestjs/common';
import { longTurn } from '../../common/long-work.js';
import {
  type AppliedLimit,
  isAlmostUsedUp,
  type LimitKind,
  type LimitSubject,
  NO_SUBJECT,
} from '../../limits/index.js';
import type { Usage } from '../store/usage.js';
import type { LimitState } from './limit-usage.dto.js';
import { LimitUsage } from './limit-usage.js';
import { type Limits, QuotaLimits } from './quota-limits.js';
import { UsageLedger } from './usage-ledger.js';

/** A limit of which four fifths or more are used. */
export interface NearLimit extends LimitSubject {
  readonly kind: LimitKind;
  readonly used: number;
  readonly limit: number;
  readonly unit: string | null;
  readonly state: LimitState;
}

/** Principals looked at between two turns of the event loop. */
const PIECE = 500;
/** Of the limits that commits count, so many are read at each look; the others at the next ones. */
const READ = 100;

/** The limits near their end: of organizations and principals in memory, of agents, skills and budgets in turns. */
@Injectable()
export class NearLimits {
  /** Those found of the limits that are read, by their id. */
  private readonly found = new Map<string, readonly NearLimit[]>();
  private next = 0;

  constructor(
    private readonly ledger: UsageLedger,
    private readonly quotas: QuotaLimits,
    private readonly usage: LimitUsage,
  ) {}

  /** The `most` that are nearest. */
  async nearest(most: number): Promise<readonly NearLimit[]> {
    await this.readSome();
    const found = new Map<string, NearLimit>();
    const add = (each: NearLimit): void => void found.set(keyOf(each), each);
    for (const organization of this.ledger.organizationNames()) {
      const used = this.ledger.ofOrganization(organization);
      const limits = this.quotas.ofOrganization(organization);
      nearOf(used, limits, { ...NO_SUBJECT, organization }, this.usage).forEach(add);
      let looked = 0;
      for (const principal of this.ledger.principalsOf(organization)) {
        if (++looked % PIECE === 0) await longTurn();
        const own = this.ledger.ofPrincipal({ organization, principalId: principal });
        const limit = this.quotas.ofPrincipal(principal);
        nearOf(own, limit, { ...NO_SUBJECT, principal }, this.usage).forEach(add);
      }
    }
    for (const each of [...this.found.values()].flat()) add(each);
    const share = ({ used, limit }: NearLimit): number => used / limit;
    return [...found.values()].sort((a, b) => share(b) - share(a)).slice(0, most);
  }

  private async readSome(): Promise<void> {
    const ids = this.usage.ids();
    const known = new Set(ids);
    for (const id of this.found.keys()) if (!known.has(id)) this.found.delete(id);
    const start = this.next < ids.length ? this.next : 0;
    const some = ids.slice(start, start + READ);
    this.next = start + READ;
    for (const id of some) this.found.delete(id);
    for (const { id, organization, principal, agent, skill, usage } of await this.usage.of(some)) {
      const near = usage.filter(({ state }) => state !== 'ok');
      const subject = { organization, principal, agent, skill };
      if (near.length === 0) continue;
      this.found.set(
        id,
        near.map((each) => ({ ...subject, ...each })),
      );
    }
  }
}

function keyOf({ organization, principal, agent, skill, kind, unit }: NearLimit): string {
  return JSON.stringify([organization, principal, agent, skill, kind, unit]);
}

function nearOf(
  { openTasks, tasksToday, storedBytes }: Usage,
  limits: Limits,
  subject: LimitSubject,
  usage: Pick<LimitUsage, 'shown'>,
): NearLimit[] {
  const all: readonly (readonly [LimitKind, number, number])[] = [
    ['openTasks', openTasks, limits.openTasks],
    ['tasksPerDay', tasksToday, limits.tasksPerDay],
    ['storedBytes', storedBytes, limits.storedBytes],
  ];
  return all.flatMap(([kind, used, max]) => {
    if (!Number.isFinite(max)) return [];
    const limit: AppliedLimit = { subject, kind, max, takes: 1 };
    if (!isAlmostUsedUp(limit, used)) return [];
    const { state, unit } = usage.shown(limit, used);
    return [{ ...subject, kind, used, limit: max, unit, state }];
  });
}
