import { Injectable } from '@nestjs/common';
import { KnownOwners } from '../auth/index.js';
import { Log } from '../common/logger.js';
import { loadCedar } from './cedar.js';
import { statementsIn } from './cedar-text.js';
import { warningsOf } from './domain/agent-alone.js';
import { forbidsAll } from './domain/for-all.js';
import { Mentions } from './domain/mentions.js';
import type { Policy } from './domain/policy.js';
import type { WrittenQuestion } from './domain/question-of.js';
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
  constructor(
    private readonly agents: KnownAgents,
    private readonly owners: KnownOwners,
    private readonly log: Log,
  ) {}

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
      const ofText = [...forbidsAll(statements), ...warningsOf(statements)];
      read.push({ ofText, names: namesOf(mentions, organization) });
    }
    const [principals, organizations] = await this.known(read.map(({ names }) => names));
    return read.map(({ ofText, names }) => {
      const { agents, skills } = names;
      const ofNames = [
        ...agents.filter((id) => this.agents.missing(id) !== null).map(agentWarning),
        ...skills.flatMap((id) => this.warningOfSkill(id)),
        ...names.principals.filter((id) => principals?.has(id) === false).map(principalWarning),
        ...names.organizations
          .filter((id) => organizations?.has(id) === false)
          .map(organizationWarning),
      ];
      return [...ofText, ...firstOf(ofNames, names.notLookedUp)];
    });
  }

  /** Of a caller that a question is about: whether its principal and its organization are there. */
  async ofCaller({
    id,
    organization,
  }: Pick<WrittenQuestion['caller'], 'id' | 'organization'>): Promise<readonly string[]> {
    const [principals, organizations] = await this.known([
      {
        principals: id === undefined ? [] : [id],
        organizations: organization === undefined ? [] : [organization],
      },
    ]);
    return [
      ...(id !== undefined && principals?.has(id) === false
        ? [
            `${JSON.stringify(id)} is no principal that there is: what is decided is of a caller without its organization and groups.`,
          ]
        : []),
      ...(organization !== undefined && organizations?.has(organization) === false
        ? [`${JSON.stringify(organization)} is no organization that there is.`]
        : []),
    ];
  }

  private async known(
    names: readonly Pick<Names, 'principals' | 'organizations'>[],
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

  private warningOfSkill(id: string): string[] {
    // No id of an agent has a dot.
    const dot = id.indexOf('.');
    const agentId = id.slice(0, Math.max(dot, 0));
    const skill = `Skill::${JSON.stringify(id)}`;
    if (agentId === '') {
      return [`${skill} can be no skill: write the agent too, Skill::"AGENT.SKILL".`];
    }
    switch (this.agents.missing(agentId, id.slice(dot + 1))) {
      case null:
        return [];
      case 'skill':
        return [`${skill} is no skill of the agent ${JSON.stringify(agentId)}.`];
      case 'agent':
        return [`${skill} is of an agent that is not registered: ${JSON.stringify(agentId)}.`];
    }
  }
}

/** Whom a policy names. */
interface Names extends Readonly<
  Record<'agents' | 'skills' | 'principals' | 'organizations', readonly string[]>
> {
  /** Further names, which are too many to be looked up. */
  readonly notLookedUp: number;
}

/** The first warnings; what they leave out is said. */
function firstOf(warnings: readonly string[], notLookedUp: number): readonly string[] {
  const more = warnings.length - MOST;
  return [
    ...warnings.slice(0, MOST),
    ...(more > 0 ? [`So it is with ${more} more of its names.`] : []),
    ...(notLookedUp > 0 ? [`${notLookedUp} more of its names were not looked up.`] : []),
  ];
}

function namesOf(mentions: Mentions, organization: string | null): Names {
  let notLookedUp = 0;
  const first = (type: string): readonly string[] => {
    const ids = mentions.idsOf(type);
    notLookedUp += Math.max(0, ids.length - LOOKED_UP);
    return ids.slice(0, LOOKED_UP);
  };
  const own = organization === null ? [] : [organization];
  const names = {
    agents: first('Agent'),
    skills: first('Skill'),
    principals: first('Caller'),
    organizations: [...new Set([...own, ...first('Organization')])],
  };
  return { ...names, notLookedUp };
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
