import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { KnownOwners } from '../auth/index.js';
import type { FieldViolation } from '../common/hub-error.js';
import { Log } from '../common/logger.js';
import { KnownAgents } from '../policies/index.js';
import { type Limit, NO_SUBJECT, targetOf } from './domain/limit.js';
import type { Price } from './domain/price.js';
import { LimitRegistry } from './limit-registry.js';
import { PriceRegistry } from './price-registry.js';

/** A limit with what it names that is not there. */
export interface ShownLimit extends Limit {
  readonly problems: readonly FieldViolation[];
}

/** Limits that the log names at once. */
const NAMED = 20;

/**
 * Whether those whom limits are for are there. One that names nobody is kept, since they may come later; a name that was
 * mistyped is seen in what is shown of the limit, and in the log.
 */
@Injectable()
export class LimitSubjects implements OnApplicationBootstrap {
  constructor(
    private readonly registry: LimitRegistry,
    private readonly prices: PriceRegistry,
    private readonly owners: KnownOwners,
    private readonly agents: KnownAgents,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.warn(this.registry.all());
    this.warnOfPrices(this.prices.list.prices);
  }

  /** Limits as they are shown. */
  async shown(limits: readonly Limit[]): Promise<ShownLimit[]> {
    const named = (member: 'principal' | 'organization'): string[] => [
      ...new Set(limits.flatMap((limit) => limit[member] ?? [])),
    ];
    const [principals, organizations] = await Promise.all([
      this.owners.principals(named('principal')),
      this.owners.organizations(named('organization')),
    ]);
    return limits.map((limit) => {
      const { principal, organization } = limit;
      const problems: FieldViolation[] = [];
      if (organization !== null && !organizations.has(organization)) {
        problems.push({ field: 'organization', description: 'does not exist' });
      }
      if (principal !== null && !principals.has(principal)) {
        problems.push({ field: 'principal', description: 'does not exist' });
      }
      return { ...limit, problems: [...problems, ...this.problemsOfTarget(limit)] };
    });
  }

  /** A limit that was just stored, as it is shown: whatever fails now, it is in force. */
  async checked(limit: Limit): Promise<ShownLimit> {
    const [shown] = await this.warn([limit]);
    return shown ?? { ...limit, problems: [] };
  }

  /** Tells operators of those that name nobody. Never fails; empty where nothing can be looked up. */
  async warn(limits: readonly Limit[]): Promise<readonly ShownLimit[]> {
    let shown: readonly ShownLimit[];
    try {
      shown = await this.shown(limits);
    } catch (err) {
      this.log.warn({ err }, 'the subjects of limits could not be looked up');
      return [];
    }
    const wrong = shown.filter(({ problems }) => problems.length > 0);
    if (wrong.length > 0) {
      const named = wrong.slice(0, NAMED).map(({ id, problems }) => ({ id, problems }));
      this.log.warn(
        { limits: named, count: wrong.length },
        'limits name principals, organizations, agents or skills that do not exist: they have no effect until these come',
      );
    }
    return shown;
  }

  /** Tells operators of prices that no work has: those of agents and skills that there are not. */
  warnOfPrices(prices: readonly Price[]): void {
    const wrong = prices.flatMap((price) => {
      const { agent, skill, unit } = price;
      const problems = this.problemsOfTarget(price);
      return problems.length === 0 ? [] : [{ agent, skill, unit, problems }];
    });
    if (wrong.length === 0) return;
    this.log.warn(
      { prices: wrong.slice(0, NAMED), count: wrong.length },
      'limits.prices names agents or skills that do not exist: these prices have no effect until they come',
    );
  }

  private problemsOfTarget({
    agent: named,
    skill,
  }: Pick<Limit, 'agent' | 'skill'>): FieldViolation[] {
    const target = targetOf({ ...NO_SUBJECT, agent: named, skill });
    if (target === null) return [];
    const { agentId, skillId } = target;
    switch (this.agents.missing(agentId, skillId)) {
      case null:
        return [];
      case 'skill':
        return [{ field: 'skill', description: `is none of the agent ${agentId}` }];
      case 'agent':
        return skillId === undefined
          ? [{ field: 'agent', description: 'is not registered' }]
          : [{ field: 'skill', description: `is of an agent that is not registered: ${agentId}` }];
    }
  }
}
