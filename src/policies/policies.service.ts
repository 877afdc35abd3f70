import { Injectable } from '@nestjs/common';
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
} from './domain/policy.js';
import { questionOf, type WrittenQuestion } from './domain/question-of.js';
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

/** Versions of one policy that are shown. */
const SHOWN_VERSIONS = 100;

/** The operations on policies. Every change is in {@link PolicyRegistry} when its call resolves. */
@Injectable()
export class PoliciesService {
  constructor(
    private readonly store: PolicyStore,
    private readonly registry: PolicyRegistry,
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

  /** What the policies would decide, with `policy` among them. Throws INVALID_PARAMS for a question that is none. */
  async decide(written: WrittenQuestion, policy?: WrittenPolicy): Promise<PolicyDecision> {
    const question = questionOf(written, policy?.organization ?? null);
    if (typeof question === 'string') throw invalidField('agentId', question);
    if (policy !== undefined) {
      const faults = await faultsOfText(policy.text);
      if (faults.length > 0) {
        throw invalidFields(faults.map((each) => ({ ...each, field: `policy.${each.field}` })));
      }
    }
    const instead = policy === undefined ? [] : [policyOf(policy.id, completed(policy))];
    const policies = this.registry.deciding(question.caller.organization, instead);
    return wouldDecide(question, policies, this.config.policies.default);
  }

  private async check(id: string, definition: PolicyDefinition): Promise<void> {
    const faults = await faultsOfText(definition.text);
    if (faults.length > 0) throw invalidFields(faults);
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
