import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { RevisionedCache } from '../common/revisioned-cache.js';
import type { AppliedLimit } from './domain/applied-limit.js';
import {
  amountOf,
  type Limit,
  type LimitSubject,
  NO_SUBJECT,
  shapeOf,
  subjectKey,
  subjectOf,
} from './domain/limit.js';
import { LimitStore } from './limit-store.js';
import type { Charge } from './spending.js';

/** All limits in memory, for the path of every message that begins a task. */
@Injectable()
export class LimitRegistry extends RevisionedCache<Limit> {
  private stored: readonly Limit[] = [];
  private declared: readonly Limit[] = [];
  private every: readonly Limit[] = [];
  private bySubject: ReadonlyMap<string, Limit> = new Map();
  private byId: ReadonlyMap<string, Limit> = new Map();
  /** Which members the subjects name that name an agent or a skill. */
  private shapes: readonly string[] = [];
  /** Some limit says how many requests a second. */
  hasRates = false;
  /** Some limit says so of an agent or a skill. */
  hasTargetRates = false;
  /** Raised by each change of the limits that this process comes to know. */
  changes = 0;

  constructor(
    store: LimitStore,
    clock: Clock,
    private readonly log: Log,
  ) {
    super(store, 'limits', clock, log);
  }

  /** Every limit: those of the configuration first, then by id. */
  all(): readonly Limit[] {
    return this.every;
  }

  get(id: string): Limit | undefined {
    return this.byId.get(id);
  }

  /** The limits of the configuration, from now on. They take the place of stored ones with the same id, and go before those of the same subject. */
  declare(limits: readonly Limit[]): void {
    this.declared = limits;
    this.index();
  }

  ofOrganization(organization: string): Limit | undefined {
    if (this.bySubject.size === 0) return undefined;
    return this.bySubject.get(subjectKey({ ...NO_SUBJECT, organization }));
  }

  ofPrincipal(principal: string): Limit | undefined {
    if (this.bySubject.size === 0) return undefined;
    return this.bySubject.get(subjectKey({ ...NO_SUBJECT, principal }));
  }

  /** Some limit is for an agent or a skill. */
  get hasTargets(): boolean {
    return this.shapes.length > 0;
  }

  /** The limits that count when this owner gives work to this agent, by its skill where one is named. */
  ofTarget(
    { organization, principalId }: { readonly organization: string; readonly principalId: string },
    { agentId, skillId }: { readonly agentId: string; readonly skillId?: string | null },
  ): readonly Limit[] {
    const values: LimitSubject = {
      organization,
      principal: principalId,
      agent: agentId,
      skill: skillId == null ? null : `${agentId}.${skillId}`,
    };
    return this.shapes.flatMap((shape) => {
      // Without a skill the subject of such a limit would be that of another one.
      if (values.skill === null && shape.endsWith('skill')) return [];
      const subject: Record<string, string | null> = { ...NO_SUBJECT };
      for (const member of shape.split('+')) subject[member] = values[member as keyof LimitSubject];
      return this.bySubject.get(subjectKey(subject as unknown as LimitSubject)) ?? [];
    });
  }

  /** The budgets that something of this owner counts for that was spent at this agent. */
  budgetsOf({ organization, principalId, agentId, skillId, unit }: Charge): AppliedLimit[] {
    if (this.bySubject.size === 0) return [];
    const owner = { organization, principalId };
    const limits = [
      this.ofOrganization(organization),
      this.ofPrincipal(principalId),
      ...this.ofTarget(owner, { agentId, skillId }),
    ];
    return limits.flatMap((limit) =>
      limit?.budget?.unit === unit
        ? { subject: subjectOf(limit), ...amountOf(limit.budget), takes: 0 }
        : [],
    );
  }

  protected override onReload(all: readonly Limit[]): void {
    this.stored = all;
    this.index();
  }

  private index(): void {
    const declared = new Set(this.declared.map(({ id }) => id));
    const limits = this.stored.map(({ id }) => id).filter((id) => declared.has(id));
    if (limits.length > 0) {
      this.log.warn({ limits }, 'declared limits replace limits of the API with the same id');
    }
    const stored = this.stored.filter(({ id }) => !declared.has(id));
    this.every = [...this.declared, ...stored];
    const all = [...stored, ...this.declared];
    this.bySubject = new Map(all.map((limit) => [subjectKey(limit), limit]));
    this.byId = new Map(all.map((limit) => [limit.id, limit]));
    const targeted = all.filter(({ agent, skill }) => agent !== null || skill !== null);
    this.shapes = [...new Set(targeted.map(shapeOf))];
    this.hasRates = all.some(hasRate);
    this.hasTargetRates = targeted.some(hasRate);
    this.changes += 1;
  }
}

function hasRate({ requestsPerSecond }: Limit): boolean {
  return requestsPerSecond !== null;
}
