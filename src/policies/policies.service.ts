import { Inject, Injectable } from '@nestjs/common';
import { PrincipalStore } from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { issueCursor, readCursor } from '../common/cursor.js';
import { HubError, invalidField, invalidFields } from '../common/hub-error.js';
import { refuseOtherThan } from '../common/http/if-match.js';
import { ID } from '../common/id-pattern.js';
import type { Page } from '../common/page.js';
import { AppConfig } from '../config/index.js';
import { failingTests, faultsOfText, wouldDecide } from './check-policy.js';
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
import { PolicyRegistry } from './policy-registry.js';
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
  /** A sentence. */
  readonly why: string;
}

/** Versions of one policy that are shown. */
const SHOWN_VERSIONS = 100;

/** The operations on policies. Every change is in {@link PolicyRegistry} when its call resolves. */
@Injectable()
export class PoliciesService {
  constructor(
    private readonly store: PolicyStore,
    private readonly registry: PolicyRegistry,
    private readonly agents: KnownAgents,
    @Inject(PrincipalStore) private readonly principals: Pick<PrincipalStore, 'get'>,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /** Throws INVALID_PARAMS with all that is wrong with its text or fails of its tests, CONFLICT when the id is taken. */
  async create(written: WrittenPolicy): Promise<Policy> {
    const { id } = written;
    if (this.registry.all().some((each) => each.id === id)) {
      throw new HubError('CONFLICT', `There is a policy with the id ${id}.`);
    }
    const definition = completed(written);
    await this.check(id, definition);
    await this.store.add(id, definition, POLICY_LIMITS.policies, this.clock.now());
    await this.registry.renew();
    return this.get(id);
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
  async patch(id: string, patch: PolicyPatch, wanted?: readonly number[]): Promise<Policy> {
    this.refuseDeclared(id);
    const given = Object.fromEntries(
      Object.entries(patch).filter(([, value]) => value !== undefined),
    ) as PolicyPatch;
    await this.registry.renew();
    const before = this.get(id);
    refuseOtherThan(wanted, before);
    await this.check(id, { ...before, ...given });
    const changed = await this.store.update(
      id,
      (policy) => {
        refuseOtherThan(wanted, policy);
        // What was checked is what is saved.
        refuseOtherThan([before.version], policy);
        return { ...policy, ...given };
      },
      this.clock.now(),
    );
    await this.registry.renew();
    return changed ?? unknown(id);
  }

  /** Throws NOT_FOUND, CONFLICT for a declared one and for a version that is not wanted. */
  async remove(id: string, wanted?: readonly number[]): Promise<void> {
    this.refuseDeclared(id);
    const removed = await this.store.remove(id, (policy) => refuseOtherThan(wanted, policy));
    if (!removed) unknown(id);
    await this.registry.renew();
  }

  /** What it was at its newest versions, the newest first. Throws NOT_FOUND. */
  async versions(id: string): Promise<readonly PolicyVersion[]> {
    this.get(id);
    return this.store.versions(id, SHOWN_VERSIONS);
  }

  /**
   * What the policies would decide, with `policy` among them, of agents and skills with the tags that they have where none
   * are given, and for a principal that there is with its organization and the hub's own groups. Throws INVALID_PARAMS for a question that is none.
   */
  async decide(question: WrittenQuestion, policy?: WrittenPolicy): Promise<TriedDecision> {
    const organization = policy?.organization ?? null;
    const written = { ...question, caller: await this.known(question.caller) };
    const asWritten = questionOf(written, organization);
    if ('field' in asWritten) throw invalidFields([asWritten]);
    if (written.tags !== undefined && written.skillId === undefined) {
      throw invalidField('tags', 'are those of a skill: name it (skillId)');
    }
    if (policy !== undefined) {
      const faults = await faultsOfText(policy.text);
      if (faults.length > 0) {
        throw invalidFields(faults.map((each) => ({ ...each, field: `policy.${each.field}` })));
      }
    }
    const known = written.agentId === undefined ? undefined : this.agents.get(written.agentId);
    const whole = asWritten.resource === null ? written : withKnownTags(written, known);
    if (typeof whole === 'string') {
      return { isAllowed: false, policies: [], errors: [], resource: null, why: `${whole}.` };
    }
    const meant = questionOf(whole, organization);
    if ('field' in meant) throw invalidFields([meant]);
    return this.wouldDecide(meant, known, policy);
  }

  /** The caller with the organization and the hub's own groups of the principal that its id names, if there is one. */
  private async known(caller: WrittenQuestion['caller']): Promise<WrittenQuestion['caller']> {
    const found = caller.id === undefined ? undefined : await this.principals.get(caller.id);
    if (found === undefined) return caller;
    const { organization = found.organization, groups = [] } = caller;
    if (organization !== found.organization) return caller;
    return { ...caller, organization, groups: [...new Set([...found.groups, ...groups])] };
  }

  private async wouldDecide(
    question: PolicyQuestion,
    known: KnownAgent | undefined,
    policy: WrittenPolicy | undefined,
  ): Promise<TriedDecision> {
    const { caller, resource } = question;
    const instead = policy === undefined ? [] : [policyOf(policy.id, completed(policy))];
    const { decision, isOfSkills } = await wouldDecide(
      question,
      questionsOfSkills(question, known),
      this.registry.deciding(caller.organization, instead),
      this.config.policies.default,
    );
    const why = explain(decision);
    const sentence = isOfSkills
      ? `No skill of ${resource?.agentId} is left: ${why}.`
      : `${why[0]!.toUpperCase()}${why.slice(1)}.`;
    const tried = { ...decision, resource, why: sentence };
    if (!decision.isAllowed || resource === null) return tried;
    const closed = known?.closedTo(caller.organization, resource.skillId);
    if (closed === undefined) return tried;
    return { ...tried, isAllowed: false, policies: [], why: `${closed}, whatever policies say.` };
  }

  private async check(id: string, definition: PolicyDefinition): Promise<void> {
    const faults = await faultsOfText(definition.text);
    if (faults.length > 0) throw invalidFields(faults);
    // Out of force it decides nothing: its tests are for when it is put in force again.
    if (!definition.enabled) return;
    const instead = [policyOf(id, definition)];
    const failing = await failingTests(
      definition,
      (organization) => this.registry.deciding(organization, instead),
      this.config.policies.default,
    );
    if (failing.length > 0) throw invalidFields(failing);
  }

  private refuseDeclared(id: string): void {
    if (this.get(id).source !== 'config') return;
    throw new HubError(
      'CONFLICT',
      `The policy ${id} is declared in the configuration (policies.declared); change it there.`,
    );
  }
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
