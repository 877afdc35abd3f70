import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { issueCursor, readCursor } from '../../common/cursor.js';
import { HubError, invalidField, invalidFields } from '../../common/hub-error.js';
import { ID } from '../../common/id-pattern.js';
import type { Page } from '../../common/page.js';
import { refuseOtherThan } from '../../common/http/if-match.js';
import { VersionReads } from '../version-reads.js';
import { faultsOfRule } from './domain/check-rule.js';
import { faultOfPatterns } from './domain/pattern.js';
import type { Rule } from './domain/rule.js';
import { ruleIdFrom } from './domain/rule-id.js';
import { added, changed, removed, reordered } from './domain/rule-list.js';
import type { NumberedRule } from './domain/rule-set.js';
import { RuleRegistry } from './rule-registry.js';
import { RuleStore, type RuleVersion } from './rule-store.js';
import { RuleTargets } from './rule-targets.js';
import { plain, ruleOf, type WrittenRule } from './written-rule.js';

export interface NewRule extends WrittenRule {
  /** Among all rules, from 1; default the last. */
  readonly position?: number | undefined;
}

export type RulePatch = Partial<Omit<NewRule, 'id'>>;

/** A rule with its place, and why messages pass it over now, if they do. */
export interface ShownRule extends NumberedRule {
  readonly problem: string | null;
}

/** The operations on rules. Every change is in {@link RuleRegistry} when its call resolves, or as soon as the database answers again. */
@Injectable()
export class RulesService {
  /** Also of deleted rules. */
  readonly versions: VersionReads<RuleVersion>;

  constructor(
    private readonly store: RuleStore,
    private readonly registry: RuleRegistry,
    private readonly targets: RuleTargets,
    private readonly clock: Clock,
  ) {
    this.versions = new VersionReads(store, 'rule', 'rule-versions');
  }

  /** Throws INVALID_PARAMS naming each field at fault; CONFLICT when the id is taken. */
  async create(request: NewRule): Promise<ShownRule> {
    const { id, position } = request;
    const now = this.clock.now();
    const rule = { ...ruleOf({ ...request, id: id ?? '' }, 'api'), createdAt: now, updatedAt: now };
    this.check(rule);
    const declared = this.registry.declaredIds();
    if (id !== undefined && declared.has(id)) refuseDeclared(id);
    let given = rule.id;
    const stored = await this.store.change((rules) => {
      const taken = (one: string) => declared.has(one) || rules.some((each) => each.id === one);
      given = id ?? ruleIdFrom(rule.name, taken);
      return this.affordable(added(rules, { ...rule, id: given }, { position, declared }));
    }, now);
    return this.followed(given, stored);
  }

  /** Throws HubError NOT_FOUND. */
  async get(id: string): Promise<ShownRule> {
    await this.registry.renew();
    return this.shown(id, this.registry.all());
  }

  /** In the order in which they are asked; `cursor` is a `nextCursor` of the same list. */
  async list(limit: number, cursor?: string): Promise<Page<ShownRule>> {
    await this.registry.renew();
    return this.page(this.registry.all(), limit, cursor);
  }

  private page(all: readonly Rule[], limit: number, cursor?: string): Page<ShownRule> {
    const start = cursor === undefined ? 0 : placeAfter(all, cursor);
    const problems = this.targets.problems();
    const items = all.slice(start, start + limit).map((rule, index) => ({
      rule,
      no: start + index + 1,
      problem: problems(rule.target) ?? null,
    }));
    const last = items.at(-1);
    const isLast = last === undefined || last.no === all.length;
    return { items, nextCursor: isLast ? null : issueCursor('rules', last.rule.id) };
  }

  /**
   * Throws NOT_FOUND, INVALID_PARAMS naming the fields at fault, or CONFLICT for a declared rule and when it
   * is at none of the versions `wanted`.
   */
  async patch(
    id: string,
    patch: RulePatch,
    wanted: readonly number[] | undefined,
  ): Promise<ShownRule> {
    this.refuseIfDeclared(id);
    const { position, ...rest } = patch;
    const members = Object.fromEntries(
      Object.entries(plain(rest)).filter(([, value]) => value !== undefined),
    );
    const declared = this.registry.declaredIds();
    const now = this.clock.now();
    const change = (rule: Rule): Rule => {
      refuseOtherThan(wanted, rule);
      const next = { ...rule, ...members, updatedAt: now };
      if (patch.target !== undefined || patch.conditions !== undefined) {
        this.check(next, patch.target !== undefined);
      }
      return next;
    };
    const mayCost = patch.conditions !== undefined || patch.enabled === true;
    const stored = await this.store.change((rules) => {
      const next = changed(rules, id, change, { position, declared });
      return mayCost ? this.affordable(next) : next;
    }, now);
    return this.followed(id, stored);
  }

  /** Deletes a rule; its versions stay. Throws NOT_FOUND, and CONFLICT as {@link patch} does. */
  async remove(id: string, wanted: readonly number[] | undefined): Promise<void> {
    this.refuseIfDeclared(id);
    await this.store.change((rules) => {
      const present = rules.find((rule) => rule.id === id);
      if (present) refuseOtherThan(wanted, present);
      return removed(rules, id);
    }, this.clock.now());
    await this.registry.follow();
  }

  /** Puts the rules of the API in another order; throws INVALID_PARAMS unless each is named once. */
  async reorder(ids: readonly string[]): Promise<Page<ShownRule>> {
    const stored = await this.store.change(
      (rules) => reordered(rules, ids, this.registry.declaredIds()),
      this.clock.now(),
    );
    await this.registry.follow();
    return this.page(this.registry.withStored(stored), Infinity);
  }

  private check(rule: Rule, isNewTarget = true): void {
    const faults = faultsOfRule(rule);
    const unknown =
      faults.length === 0 && isNewTarget ? this.targets.unknown(rule.target, 'target') : [];
    if (faults.length + unknown.length > 0) throw invalidFields([...faults, ...unknown]);
  }

  /** The rules of the API, when all of their patterns can be searched for in every message. */
  private affordable(rules: readonly Rule[]): readonly Rule[] {
    const fault = faultOfPatterns(rules, this.registry.current().morePatterns());
    if (fault !== undefined) throw invalidField('conditions.text.pattern', fault);
    return rules;
  }

  /** A rule that was just stored with the others of the API. */
  private async followed(id: string, stored: readonly Rule[]): Promise<ShownRule> {
    await this.registry.follow();
    return this.shown(id, this.registry.withStored(stored));
  }

  private shown(id: string, all: readonly Rule[]): ShownRule {
    const index = all.findIndex((rule) => rule.id === id);
    const rule = all[index];
    if (rule === undefined) notThere(id);
    return { rule, no: index + 1, problem: this.targets.problems()(rule.target) ?? null };
  }

  private refuseIfDeclared(id: string): void {
    if (this.registry.declaredIds().has(id)) refuseDeclared(id);
  }
}

function placeAfter(rules: readonly Rule[], cursor: string): number {
  const id = readCursor('rules', cursor, (text) => ID.test(text));
  const index = rules.findIndex((rule) => rule.id === id);
  if (index < 0) throw invalidField('cursor', `is of a rule that is gone (${id}); begin again`);
  return index + 1;
}

function refuseDeclared(id: string): never {
  throw new HubError(
    'CONFLICT',
    `The rule ${id} is declared in the configuration (rules); change it there.`,
  );
}

export function notThere(id: string): never {
  throw new HubError('NOT_FOUND', `There is no rule ${id}.`);
}
