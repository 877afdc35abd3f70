import { Inject, Injectable } from '@nestjs/common';
import { AgentRegistry } from '../../agents/index.js';
import type { Principal } from '../../auth/index.js';
import type { Page } from '../../common/page.js';
import { AppConfig } from '../../config/index.js';
import {
  amountsOf,
  type AppliedLimit,
  type Limit,
  type LimitKind,
  LimitRegistry,
  type LimitSubject,
  NO_SUBJECT,
  subjectOf,
  targetOf,
} from '../../limits/index.js';
import { prepareAll } from '../../policies/index.js';
import type { Usage } from '../store/usage.js';
import { LimitUsage } from './limit-usage.js';
import { OWN_KINDS, OwnUsageDto, type OwnKind } from './own-usage.dto.js';
import { type Limits, QuotaLimits } from './quota-limits.js';
import { OF_OWNER, ownerOf } from './quotas.js';
import { UsageLedger } from './usage-ledger.js';
import { pageOf } from './usage-page.js';

/** It is not counted. */
const RATE = 'requestsPerSecond';

/** One line of the list, before anything is read for it. */
interface Line {
  readonly subject: LimitSubject;
  readonly kind: OwnKind;
  /** Null: it is counted, and not limited. */
  readonly max: number | null;
  readonly unit?: string;
  /** Where the memory knows it. */
  readonly used?: number;
}

/**
 * What limits a caller, and how much of it is used: its own limits, those of its organization, and those of both at agents and skills
 * that it may use. What an agent has for all together is left out: what others have used is not for the caller to see.
 */
@Injectable()
export class OwnUsage {
  constructor(
    private readonly registry: LimitRegistry,
    private readonly quotas: QuotaLimits,
    private readonly ledger: UsageLedger,
    private readonly limits: LimitUsage,
    private readonly agents: AgentRegistry,
    @Inject(AppConfig) private readonly config: Pick<AppConfig, 'server'>,
  ) {}

  async page(caller: Principal, limit: number, cursor?: string): Promise<Page<OwnUsageDto>> {
    await prepareAll(() => this.agents.prepare(caller));
    const lines = new Map(this.linesOf(caller).map((line) => [placeOf(line), line]));
    const page = pageOf('usage/me', [...lines.keys()].sort(), limit, cursor);
    const owner = ownerOf(caller);
    const shown = page.items.map((place) => lines.get(place)!);
    const unknown = shown.filter(({ kind, used }) => kind !== RATE && used === undefined);
    const read = await this.limits.read(unknown.map((line) => ({ limit: appliedOf(line), owner })));
    const used = new Map(unknown.map((line, index) => [line, read[index]!]));
    return {
      ...page,
      items: shown.map((line) => this.shown(line, line.used ?? used.get(line) ?? 0)),
    };
  }

  private linesOf(caller: Principal): Line[] {
    const { registry, quotas, ledger } = this;
    const { id: principal, organization } = caller;
    const own = registry.ofPrincipal(principal);
    const shared = registry.ofOrganization(organization);
    const ofPrincipal = { ...NO_SUBJECT, principal };
    const ofOrganization = { ...NO_SUBJECT, organization };
    const usage = ledger.ofPrincipal(ownerOf(caller));
    const sharedUsage = ledger.ofOrganization(organization);
    return [
      ...linesOfOwner(ofPrincipal, usage, quotas.ofPrincipal(principal)),
      ...(own === undefined ? [] : countedOf(own).filter(isOfLimitAlone)),
      ...rateOf(ofPrincipal, own?.requestsPerSecond ?? this.ordinaryRate),
      // What its organization uses is for the caller to see as far as it limits the caller.
      ...linesOfOwner(ofOrganization, sharedUsage, quotas.ofOrganization(organization)).filter(
        ({ max }) => max !== null,
      ),
      ...(shared === undefined ? [] : countedOf(shared).filter(isOfLimitAlone)),
      ...rateOf(ofOrganization, shared?.requestsPerSecond ?? 0),
      ...this.linesAtAgents(caller),
    ];
  }

  private linesAtAgents(caller: Principal): Line[] {
    if (!this.registry.hasTargets) return [];
    const { id, organization } = caller;
    const usable = new Map(this.agents.usable(caller).map((agent) => [agent.id, agent]));
    const isUsable = (limit: Limit): boolean => {
      const target = targetOf(limit);
      const agent = target === null ? undefined : usable.get(target.agentId);
      if (target === null || agent === undefined) return false;
      const { skillId } = target;
      return skillId === undefined || agent.card.skills.some((skill) => skill.id === skillId);
    };
    return this.registry
      .all()
      .filter((limit) => limit.principal === id || limit.organization === organization)
      .filter(isUsable)
      .flatMap((limit) => [
        ...countedOf(limit),
        ...rateOf(subjectOf(limit), limit.requestsPerSecond ?? 0),
      ]);
  }

  /** What each principal may send a process in a second where no limit says so; 0: any number. */
  private get ordinaryRate(): number {
    return this.config.server.rateLimit.requestsPerSecond;
  }

  private shown(line: Line, used: number): OwnUsageDto {
    const { subject, kind, max } = line;
    const { principal, agent, skill } = subject;
    const of = principal === null ? 'organization' : 'principal';
    const place = { of, agent, skill, kind } as const;
    if (kind === RATE) {
      const rest = { used: null, limit: max, unit: null, state: 'ok', resetsAt: null } as const;
      return new OwnUsageDto({ ...place, ...rest });
    }
    const applied = this.limits.shown(appliedOf(line), used);
    return new OwnUsageDto({ ...applied, ...place, limit: max });
  }
}

/** Of one that is counted. */
function appliedOf({ subject, kind, max, unit }: Line): AppliedLimit {
  return {
    ...{ subject, kind: kind as LimitKind, max: max ?? Infinity, takes: 1 },
    ...(unit !== undefined && { unit }),
  };
}

/** What is counted of every owner. */
function linesOfOwner(subject: LimitSubject, usage: Usage, limits: Limits): Line[] {
  return OF_OWNER.map(([kind, used]) => {
    const max = limits[kind];
    return { subject, kind, max: max === Infinity ? null : max, used: usage[used] };
  });
}

/** No setting has it. */
function isOfLimitAlone({ kind }: Line): boolean {
  return OF_OWNER.every(([each]) => each !== kind);
}

function countedOf(limit: Limit): Line[] {
  const subject = subjectOf(limit);
  return amountsOf(limit).map((amount) => ({ subject, ...amount }));
}

function rateOf(subject: LimitSubject, max: number): Line[] {
  return max === 0 ? [] : [{ subject, kind: 'requestsPerSecond', max }];
}

/** Its place in the list: the caller's own first, then those of its organization; each by agent and kind. */
function placeOf({ subject: { principal, agent, skill }, kind }: Line): string {
  return JSON.stringify([principal === null, skill ?? agent ?? '', OWN_KINDS.indexOf(kind)]);
}
