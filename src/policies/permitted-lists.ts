import type { Principal } from '../auth/index.js';
import type { CallerRules } from './caller-rules.js';
import type { PolicyResource } from './domain/policy.js';
import type { PolicyDecisionPoint } from './policy-decision-point.js';

/** What a list holds, to the policies. */
export interface Permits<T> {
  /** What has to be decided of an entry. */
  resourcesOf(entry: T): readonly PolicyResource[];
  /** What of an entry is left; undefined: nothing. The entry itself where all of it is. */
  left(entry: T, mayAsk: (resource: PolicyResource) => boolean): T | undefined;
}

/**
 * What policies leave of lists, for callers who are alike. The result is the same object for all of them until the list or
 * the policies change, so that what is made of it can be kept. What is not decided yet is left out.
 */
export class PermittedLists<T> {
  private readonly made = new WeakMap<CallerRules, WeakMap<readonly T[], readonly T[]>>();

  constructor(
    private readonly policies: PolicyDecisionPoint,
    private readonly permits: Permits<T>,
  ) {}

  of(caller: Principal, list: readonly T[]): readonly T[] {
    const rules = this.policies.rulesFor(caller);
    if (rules === null) return list;
    const known = this.made.get(rules)?.get(list);
    if (known !== undefined) return known;
    let isDecided = true;
    const left = list.flatMap((entry) => {
      const found = this.permits.left(entry, (resource) => {
        const decision = rules.mayAsk(resource);
        isDecided &&= decision !== undefined;
        return decision === true;
      });
      return found ?? [];
    });
    const isWhole = left.length === list.length && left.every((entry, at) => entry === list[at]);
    const result = isWhole ? list : left;
    if (isDecided) this.keep(rules, list, result);
    return result;
  }

  /** Has all of a list decided for a caller; undefined when it is already. */
  prepare(caller: Principal, list: readonly T[]): Promise<void> | undefined {
    const rules = this.policies.rulesFor(caller);
    if (rules === null || this.made.get(rules)?.has(list) === true) return undefined;
    return rules.decide(list.flatMap((entry) => this.permits.resourcesOf(entry)));
  }

  private keep(rules: CallerRules, list: readonly T[], result: readonly T[]): void {
    const lists = this.made.get(rules) ?? new WeakMap<readonly T[], readonly T[]>();
    this.made.set(rules, lists);
    lists.set(list, result);
  }
}
