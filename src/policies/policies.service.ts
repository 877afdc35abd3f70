import { Inject, Injectable } from '@nestjs/common';
import { type PrincipalRecord, PrincipalStore } from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { issueCursor, readCursor } from '../common/cursor.js';
import { type FieldViolation, HubError, invalidField, invalidFields } from '../common/hub-error.js';
import { refuseOtherThan } from '../common/http/if-match.js';
import { ID } from '../common/id-pattern.js';
import type { Page } from '../common/page.js';
import { failingAfter, type FailingTests, faultsOfText, wouldDecide } from './check-policy.js';
import {
  type Policy,
  type PolicyDecision,
  type PolicyDefinition,
  POLICY_LIMITS,
  type PolicyQuestion,
  type PolicyResource,
} from './domain/policy.js';
import { explain } from './domain/explain.js';
import { type KnownAgent, questionsOfSkills, withKnownTags } from './domain/known-agent.js';
import { questionOf, type WrittenQuestion } from './domain/question-of.js';
import { KnownAgents } from './known-agents.js';
import type { PolicyChange } from './policy-change.js';
import type { PolicyLayers } from './policy-layers.js';
import { PolicyRegistry } from './policy-registry.js';
import { PolicyWarnings } from './policy-warnings.js';
import { PolicyStore, type PolicyVersion } from './policy-store.js';

/** A policy as it is written; what is not given is as it goes without saying. */
export interface WrittenPolicy extends Partial<PolicyDefinition> {
  readonly id: string;
  readonly text: string;
}

export type PolicyPatch = Partial<
  Pick<PolicyDefinition, 'description' | 'enabled' | 'text' | 'tests'>
>;

/** What the policies would decide, with what, and why. */
export interface TriedDecision extends PolicyDecision {
  /** What was decided about; null for operations of the hub, and what is not registered. */
  readonly resource: PolicyResource | null;
  /** The tests that would fail with the policy that is tried; null: none is. */
  readonly failing: FailingTests | null;
  /** What to look at in the text of the policy that is tried; null: none is. */
  readonly warnings: readonly string[] | null;
  /** A sentence. */
  readonly why: string;
  /** What is decided of each skill of the agent, where that is wanted; else null. */
  readonly skills: EachSkill | null;
}

/** What is decided of skills of an agent, each named by itself. */
export interface EachSkill {
  /** The first {@link MOST_SKILLS} of its card. */
  readonly decided: readonly (PolicyDecision & {
    readonly skillId: string;
    readonly why: string;
  })[];
  /** How many it has beyond. */
  readonly more: number;
}

const REFUSED: PolicyDecision = { isAllowed: false, policies: [], errors: [] };

/** Where tests of other policies fail. */
const HOW_TO_GO_ON =
  'Where tests of other policies are out of date, change them first, or repeat this with force=true and change them then.';

/** Skills of an agent about which it is decided one by one. */
const MOST_SKILLS = 100;

/** Versions of one policy that are shown. */
const SHOWN_VERSIONS = 100;

/** The operations on policies. Every change is in {@link PolicyRegistry} when its call resolves, or as soon as the database answers again. */
@Injectable()
export class PoliciesService {
  constructor(
    private readonly store: PolicyStore,
    private readonly registry: PolicyRegistry,
    private readonly agents: KnownAgents,
    private readonly warned: PolicyWarnings,
    @Inject(PrincipalStore) private readonly principals: Pick<PrincipalStore, 'get'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws INVALID_PARAMS with all that is wrong with its text or fails of its tests and, unless it is forced, of those of other policies;
   * CONFLICT when the id is taken.
   */
  create(written: WrittenPolicy, isForced = false): Promise<Policy> {
    const { id } = written;
    const after = policyOf(id, completed(written));
    return this.registry.change(async ({ layers, revision }) => {
      if (layers.policies.some((each) => each.id === id)) {
        throw new HubError('CONFLICT', `There is a policy with the id ${id}.`);
      }
      await refuseWrongText(after.text);
      refuseFailing(await failingAfter({ before: undefined, after }, layers), isForced);
      const { policies } = POLICY_LIMITS;
      return this.store.add(id, after, policies, this.clock.now(), revision);
    });
  }

  /** Throws HubError NOT_FOUND. */
  get(id: string): Policy {
    return this.registry.all().find((each) => each.id === id) ?? unknown(id);
  }

  /** Those of the configuration first, then by id; `cursor` is a `nextCursor` of the same list. */
  list(organization: string | undefined, limit: number, cursor?: string): Page<Policy> {
    const all = this.registry
      .all()
      .filter((policy) => organization === undefined || policy.organization === organization);
    const after =
      cursor === undefined ? '' : readCursor('policies', cursor, (text) => ID.test(text));
    const start = after === '' ? 0 : all.findIndex(({ id }) => id === after) + 1;
    if (after !== '' && start === 0) {
      throw invalidField('cursor', `is of a policy that is gone (${after}); begin again`);
    }
    const items = all.slice(start, start + limit);
    const last = items.at(-1);
    const isLast = last === undefined || start + items.length === all.length;
    return { items, nextCursor: isLast ? null : issueCursor('policies', last.id) };
  }

  /** Throws NOT_FOUND, CONFLICT for a declared one and for a version that is not wanted, INVALID_PARAMS as {@link create}. */
  patch(
    id: string,
    patch: PolicyPatch,
    wanted?: readonly number[],
    isForced = false,
  ): Promise<Policy> {
    const given = Object.fromEntries(
      Object.entries(patch).filter(([, value]) => value !== undefined),
    ) as PolicyPatch;
    return this.registry.change(async ({ layers, revision }) => {
      const before = this.ofApi(id);
      refuseOtherThan(wanted, before);
      const after = { ...before, ...given };
      await refuseWrongText(after.text);
      refuseFailing(await failingAfter({ before, after }, layers), isForced);
      const change = (policy: Policy): PolicyDefinition => ({ ...policy, ...given });
      const changed = await this.store.update(id, change, this.clock.now(), revision);
      return changed ?? unknown(id);
    });
  }

  /**
   * Throws NOT_FOUND, CONFLICT for a declared one and for a version that is not wanted, INVALID_PARAMS when tests of other policies fail without it
   * and it is not forced. One of the API in whose place a declared one stands can be deleted.
   */
  remove(id: string, wanted?: readonly number[], isForced = false): Promise<void> {
    return this.registry.change(async ({ layers, revision }) => {
      const displaced = layers.displaced.find((each) => each.id === id);
      const before = displaced ?? this.ofApi(id);
      refuseOtherThan(wanted, before);
      if (displaced === undefined) {
        refuseFailing(await failingAfter({ before, after: undefined }, layers), isForced);
      }
      if (!(await this.store.remove(id, revision))) unknown(id);
    });
  }

  /** What to look at in policies, for each in its place: one sentence each. */
  warnings(policies: readonly Policy[]): Promise<readonly (readonly string[])[]> {
    return this.warned.of(policies);
  }

  /** What it was at its newest versions, the newest first; a declared one has none. Throws NOT_FOUND. */
  async versions(id: string): Promise<readonly PolicyVersion[]> {
    if (this.get(id).source === 'config') return [];
    return this.store.versions(id, SHOWN_VERSIONS);
  }

  /**
   * What the policies would decide, with `policy` among them, of agents and skills with the tags that they have where none
   * are given, and for a principal that there is with its organization and the hub's own groups; with `eachSkill` of an agent's skills one by one, too. Throws INVALID_PARAMS for a question that is none.
   */
  async decide(
    question: WrittenQuestion,
    policy?: WrittenPolicy,
    eachSkill = false,
  ): Promise<TriedDecision> {
    const { id, organization } = question.caller;
    const principal = id === undefined ? undefined : await this.principals.get(id);
    const tried = await this.decideOf(question, principal, policy, eachSkill);
    const stranger = {
      ...(principal === undefined && id !== undefined && { id }),
      ...(principal === undefined && organization !== undefined && { organization }),
    };
    const warnings = await this.warned.ofCaller(stranger);
    if (warnings.length === 0) return tried;
    return { ...tried, warnings: [...warnings, ...(tried.warnings ?? [])] };
  }

  private async decideOf(
    question: WrittenQuestion,
    principal: PrincipalRecord | undefined,
    policy: WrittenPolicy | undefined,
    eachSkill: boolean,
  ): Promise<TriedDecision> {
    const organization = policy?.organization ?? null;
    const written = { ...question, caller: knownCaller(question.caller, principal) };
    const asWritten = questionOf(written, organization);
    if ('field' in asWritten) throw invalidFields([asWritten]);
    if (written.tags !== undefined && written.skillId === undefined) {
      throw invalidField('tags', 'are those of a skill: name it (skillId)');
    }
    if (policy !== undefined) {
      const faults = await faultsOfText(policy.text);
      if (faults.length > 0) {
        throw wrong(faults.map((each) => ({ ...each, field: `policy.${each.field}` })));
      }
    }
    const known = written.agentId === undefined ? undefined : this.agents.get(written.agentId);
    const whole = asWritten.resource === null ? written : withKnownTags(written, known);
    if (typeof whole === 'string') {
      const { layers, change } = this.tried(policy);
      const failing = change === undefined ? null : await failingAfter(change, layers);
      const warnings = await this.warningsOfTried(policy);
      return {
        ...REFUSED,
        ...{ resource: null, failing, warnings, why: `${whole}.`, skills: null },
      };
    }
    const meant = questionOf(whole, organization);
    if ('field' in meant) throw invalidFields([meant]);
    return this.wouldDecide(meant, known, policy, eachSkill);
  }

  private async wouldDecide(
    question: PolicyQuestion,
    known: KnownAgent | undefined,
    policy: WrittenPolicy | undefined,
    eachSkill: boolean,
  ): Promise<TriedDecision> {
    const { caller, resource } = question;
    const { layers, change } = this.tried(policy);
    const ofSkills = questionsOfSkills(question, known);
    const { decision, isOfSkills, failing, ofEach } = await wouldDecide(
      question,
      ofSkills,
      layers,
      change,
      eachSkill ? ofSkills.slice(0, MOST_SKILLS) : [],
    );
    const sentence = isOfSkills
      ? `No skill of ${resource?.agentId} is left: ${explain(decision)}.`
      : sentenceOf(decision);
    const skills =
      eachSkill && known !== undefined && resource?.skillId === null
        ? skillsOf(known, caller.organization, ofSkills, ofEach)
        : null;
    const warnings = await this.warningsOfTried(policy);
    const tried = { ...decision, resource, failing, warnings, why: sentence, skills };
    if (!decision.isAllowed || resource === null) return tried;
    const closed = known?.closedTo(caller.organization, resource.skillId);
    if (closed === undefined) return tried;
    return { ...tried, isAllowed: false, policies: [], why: `${closed}, whatever policies say.` };
  }

  private async warningsOfTried(
    policy: WrittenPolicy | undefined,
  ): Promise<readonly string[] | null> {
    if (policy === undefined) return null;
    const [warnings = []] = await this.warned.of([completed(policy)]);
    return warnings;
  }

  /** The policies in force, and one as if it were saved. */
  private tried(policy: WrittenPolicy | undefined): {
    readonly layers: PolicyLayers;
    readonly change: PolicyChange | undefined;
  } {
    const { layers } = this.registry.inForce;
    if (policy === undefined) return { layers, change: undefined };
    const before = layers.policies.find(({ id }) => id === policy.id);
    return { layers, change: { before, after: policyOf(policy.id, completed(policy)) } };
  }

  /** Throws CONFLICT for a declared one. */
  private ofApi(id: string): Policy {
    const policy = this.get(id);
    if (policy.source === 'api') return policy;
    throw new HubError(
      'CONFLICT',
      `The policy ${id} is declared in the configuration (policies.declared); change it there.`,
    );
  }
}

/** The caller with the organization and the hub's own groups of its principal, if there is one. */
function knownCaller(
  caller: WrittenQuestion['caller'],
  principal: PrincipalRecord | undefined,
): WrittenQuestion['caller'] {
  if (principal === undefined) return caller;
  const { organization = principal.organization, groups = [] } = caller;
  if (organization !== principal.organization) {
    throw invalidField(
      'caller.organization',
      `must be that of the principal: ${principal.organization}`,
    );
  }
  return { ...caller, organization, groups: [...new Set([...principal.groups, ...groups])] };
}

function sentenceOf(decision: PolicyDecision): string {
  const why = explain(decision);
  return `${why[0]!.toUpperCase()}${why.slice(1)}.`;
}

/** `decisions` are those of the first questions. */
function skillsOf(
  known: KnownAgent,
  organization: string,
  questions: readonly PolicyQuestion[],
  decisions: readonly PolicyDecision[],
): EachSkill {
  const bySkill = new Map(
    decisions.map((each, at) => [questions[at]?.resource?.skillId ?? '', each]),
  );
  const shown = known.skills.slice(0, MOST_SKILLS);
  const decided = shown.map(({ id: skillId }) => {
    const decision = bySkill.get(skillId);
    if (decision !== undefined) return { ...decision, skillId, why: sentenceOf(decision) };
    const closed = known.closedTo(organization, skillId) ?? 'It cannot be requested';
    return { ...REFUSED, skillId, why: `${closed}, whatever policies say.` };
  });
  return { decided, more: known.skills.length - shown.length };
}

async function refuseWrongText(text: string): Promise<void> {
  const faults = await faultsOfText(text);
  if (faults.length > 0) throw wrong(faults);
}

/** As a field of the wrong form is told: what is wrong with these is no end of a sentence that the field begins. */
function wrong(violations: readonly FieldViolation[], help = ''): HubError {
  const sentences = violations.map(({ field, description }) => `${field}: ${description}`);
  return new HubError('INVALID_PARAMS', `${sentences.join('; ')}${help}`, { violations });
}

function refuseFailing({ own, others }: FailingTests, isForced: boolean): void {
  const failing = isForced ? own : [...own, ...others];
  if (failing.length === 0) return;
  throw wrong(failing, others.length === 0 || isForced ? '' : `. ${HOW_TO_GO_ON}`);
}

/** What is written, with what goes without saying. */
export function completed({
  organization = null,
  description = '',
  enabled = true,
  text,
  tests = [],
}: WrittenPolicy): PolicyDefinition {
  return { organization, description, enabled, text, tests };
}

function policyOf(id: string, definition: PolicyDefinition): Policy {
  return { ...definition, id, version: 0, source: 'api', createdAt: null, updatedAt: null };
}

function unknown(id: string): never {
  throw new HubError('NOT_FOUND', `There is no policy ${id}.`);
}
