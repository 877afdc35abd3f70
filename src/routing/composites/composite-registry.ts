import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { ByOrganization, isOpenTo } from '../../common/by-organization.js';
import { Clock } from '../../common/clock.js';
import { RevisionedCache } from '../../common/revisioned-cache.js';
import { Log } from '../../common/logger.js';
import { AppConfig } from '../../config/index.js';
import {
  type Permits,
  PermittedLists,
  PolicyDecisionPoint,
  type PolicyResource,
} from '../../policies/index.js';
import { COMPOSITE_AGENT_ID, type CompositeSkill } from '../domain/composite-skill.js';
import type { CompositeSource } from '../composite-source.js';
import { CompositeStore } from './composite-store.js';
import { compositeSkillOf } from './domain/skill-of-composite.js';
import type { Composite } from './domain/composite.js';

interface Entry {
  readonly composite: Composite;
  readonly skill: CompositeSkill;
}

/** All composite skills in memory, for the path of every message. */
@Injectable()
export class CompositeRegistry extends RevisionedCache<Composite> implements CompositeSource {
  /** By id, ascending. */
  private entries: ReadonlyMap<string, Entry> = new Map();
  private byOrganization = byOrganizationOf(this.entries);
  private readonly permitted: PermittedLists<CompositeSkill>;

  constructor(
    store: CompositeStore,
    private readonly config: AppConfig,
    clock: Clock,
    log: Log,
    policies: PolicyDecisionPoint,
  ) {
    super(store, 'composite skills', clock, log);
    this.permitted = new PermittedLists(policies, PERMITTED_COMPOSITES);
  }

  /** Every composite skill by id, enabled or not. */
  composites(): readonly Composite[] {
    return [...this.entries.values()].map(({ composite }) => composite);
  }

  usable(principal: Principal): readonly CompositeSkill[] {
    return this.permitted.of(principal, this.openTo(principal));
  }

  /**
   * Why callers of this organization may not use this composite skill, as a sentence without an end; undefined where policies alone
   * decide. Null: some composite skill.
   */
  closedTo(organization: string, skillId: string | null): string | undefined {
    if (skillId === null) {
      const isAny = this.byOrganization.usable(organization).length > 0;
      return isAny ? undefined : `There is no composite skill for the organization ${organization}`;
    }
    const composite = this.entries.get(skillId)?.composite;
    if (composite === undefined) return undefined;
    const what = `The composite skill ${composite.id}`;
    if (!composite.enabled) return `${what} is disabled`;
    if (isOpenTo(composite.organizations, organization)) return undefined;
    return `${what} is not for the organization ${organization}`;
  }

  prepare(principal: Principal): Promise<void> | undefined {
    return this.permitted.prepare(principal, this.openTo(principal));
  }

  private openTo({ organization }: Principal): readonly CompositeSkill[] {
    return this.byOrganization.usable(organization);
  }

  protected override onReload(composites: readonly Composite[]): void {
    this.entries = new Map(composites.map((each) => [each.id, this.entryOf(each)] as const));
    this.byOrganization = byOrganizationOf(this.entries);
  }

  /** The entry there is, when it is of this version: what is made of a skill stays made. */
  private entryOf(composite: Composite): Entry {
    const known = this.entries.get(composite.id);
    if (known?.composite.version === composite.version) return known;
    // Said even where it is the setting's, so that a client's own maximum can only lower it.
    const maxCalls = composite.maxCalls ?? this.config.tasks.maxCalls;
    return { composite, skill: { ...compositeSkillOf(composite), maxCalls } };
  }
}

/** A composite skill is a skill of the agent that stands for them all. */
const PERMITTED_COMPOSITES: Permits<CompositeSkill> = {
  resourcesOf: (composite) => [resourceOf(composite)],
  left: (composite, mayAsk) => (mayAsk(resourceOf(composite)) ? composite : undefined),
};

/** The same object as long as a skill is the same, for what is remembered of it. */
const resources = new WeakMap<CompositeSkill, PolicyResource>();

function resourceOf(composite: CompositeSkill): PolicyResource {
  let resource = resources.get(composite);
  if (resource === undefined) {
    const { id: skillId, tags } = composite.skill;
    resource = { agentId: COMPOSITE_AGENT_ID, agentTags: [], skillId, tags };
    resources.set(composite, resource);
  }
  return resource;
}

function byOrganizationOf(entries: ReadonlyMap<string, Entry>): ByOrganization<CompositeSkill> {
  const enabled = [...entries.values()].filter(({ composite }) => composite.enabled);
  return new ByOrganization(
    enabled.map(({ skill }) => skill),
    ({ skill }) => entries.get(skill.id)?.composite.organizations ?? null,
  );
}
