import { Injectable } from '@nestjs/common';
import { KnownOwners } from '../auth/index.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
import { loadCedar } from './cedar.js';
import { statementsIn } from './cedar-text.js';
import { warningsOf } from './domain/agent-alone.js';
import { Mentions } from './domain/mentions.js';
import type { Policy } from './domain/policy.js';
import { KnownAgents } from './known-agents.js';

type Warned = Pick<Policy, 'text' | 'organization'>;

/** Names of one type that are looked up of one policy. */
const LOOKED_UP = 50;
/** Warnings of names, of one policy. */
const MOST = 20;

/**
 * What of policies is most likely meant otherwise. Whoever they name may come later, so a name that is not there is no fault; one
 * that was mistyped is seen by it.
 */
@Injectable()
export class PolicyWarnings {
  /** They come when the hub has started. */
  private readonly declaredAgents: ReadonlySet<unknown>;

  constructor(
    private readonly agents: KnownAgents,
    private readonly owners: KnownOwners,
    config: AppConfig,
    private readonly log: Log,
  ) {
    this.declaredAgents = new Set(config.agents.declared.map(({ id }) => id));
  }

  /**
   * Sentences, for each policy in its place: of its text, and of the agents, skills, principals and organizations that it names and
   * that there are not. Never fails for want of a database: principals and organizations are left out then.
   */
  async of(policies: readonly Warned[]): Promise<readonly (readonly string[])[]> {
    await loadCedar();
    const read: { ofText: readonly string[]; names: Names }[] = [];
    for (const { text, organization } of policies) {
      const statements = (await statementsIn(text)) ?? [];
      const mentions = new Mentions();
      for (const { json } of statements) mentions.add(json);
      read.push({ ofText: warningsOf(statements), names: namesOf(mentions, organization) });
    }
    const [principals, organizations] = await this.known(read.map(({ names }) => names));
    return read.map(({ ofText, names }) => {
      const { agents, skills } = names;
      const ofNames = [
        ...agents.filter((id) => !this.isAgent(id)).map(agentWarning),
        ...skills.flatMap((id) => this.warningOfSkill(id)),
        ...names.principals.filter((id) => principals?.has(id) === false).map(principalWarning),
        ...names.organizations
          .filter((id) => organizations?.has(id) === false)
          .map(organizationWarning),
      ];
      return [...ofText, ...ofNames.slice(0, MOST)];
    });
  }

  private async known(
    names: readonly Names[],
  ): Promise<readonly [ReadonlySet<string>?, ReadonlySet<string>?]> {
    try {
      return await Promise.all([
        this.owners.principals([...new Set(names.flatMap(({ principals }) => principals))]),
        this.owners.organizations([
          ...new Set(names.flatMap(({ organizations }) => organizations)),
        ]),
      ]);
    } catch (err) {
      this.log.warn(
        { err },
        'the principals and organizations that policies name could not be looked up',
      );
      return [];
    }
  }

  private isAgent(id: string): boolean {
    return this.agents.get(id) !== undefined || this.declaredAgents.has(id);
  }

  private warningOfSkill(id: string): string[] {
    // No id of an agent has a dot.
    const dot = id.indexOf('.');
    const agentId = id.slice(0, Math.max(dot, 0));
    const skill = `Skill::${JSON.stringify(id)}`;
    if (agentId === '') {
      return [`${skill} can be no skill: write the agent too, Skill::"AGENT.SKILL".`];
    }
    const agent = this.agents.get(agentId);
    if (agent === undefined) {
      return this.declaredAgents.has(agentId)
        ? []
        : [`${skill} is of an agent that is not registered: ${JSON.stringify(agentId)}.`];
    }
    const isOffered = agent.skills.some((each) => each.id === id.slice(dot + 1));
    return isOffered ? [] : [`${skill} is no skill of the agent ${JSON.stringify(agentId)}.`];
  }
}

/** Whom a policy names. */
type Names = Readonly<
  Record<'agents' | 'skills' | 'principals' | 'organizations', readonly string[]>
>;

function namesOf(mentions: Mentions, organization: string | null): Names {
  const first = (type: string): readonly string[] => mentions.idsOf(type).slice(0, LOOKED_UP);
  const own = organization === null ? [] : [organization];
  return {
    agents: first('Agent'),
    skills: first('Skill'),
    principals: first('Caller'),
    organizations: [...new Set([...own, ...first('Organization')])],
  };
}

function agentWarning(id: string): string {
  return `Agent::${JSON.stringify(id)} is not registered.`;
}

function principalWarning(id: string): string {
  return `Caller::${JSON.stringify(id)} is no principal that there is.`;
}

function organizationWarning(id: string): string {
  return `Organization::${JSON.stringify(id)} is no organization that there is.`;
}
