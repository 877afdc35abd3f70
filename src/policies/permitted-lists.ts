import type { Principal } from '../auth/index.js';
import type { CallerRules } from './caller-rules.js';
import type { PolicyResource } from './domain/policy.js';
import { nextSlice } from '../common/slices.js';
import type { PolicyDecisionPoint } from './policy-decision-point.js';

/** What a list holds, to the policies. */
export interface Permits<T> {
  /** What has to be decided of an entry. */
  resourcesOf(entry: T): readonly PolicyResource[];
  /** What of an entry is left; undefined: nothing. The entry itself where all of it is. */
  left(entry: T, mayAsk: (resource: PolicyResource) => boolean): T | undefined;
}

/** What is made of one list for callers who are alike, or the making of it. */
interface Made<T> {
  left?: readonly T[];
  making?: Promise<void>;
}

/**
 * What policies leave of lists, for callers who are alike. The result is the same object for all of them until the list or
 * the policies change, so that what is made of it can be kept.
 */
export class PermittedLists<T> {
  private readonly made = new WeakMap<CallerRules, WeakMap<readonly T[], Made<T>>>();

  constructor(
    private readonly policies: PolicyDecisionPoint,
    private readonly permits: Permits<T>,
  ) {}

  /** What is not decided by {@link prepare}, since the list or the policies have just changed, is decided now. */
  of(caller: Principal, list: readonly T[]): readonly T[] {
    const rules = this.policies.rulesFor(caller);
    if (rules === null) return list;
    const made = this.madeOf(rules, list);
    return (made.left ??= this.leftBy(rules, list));
  }

  /**
   * Has all of a list decided for a caller, in turns with other work and once for all who are alike; undefined when it is. It
   * ends early where the policies change meanwhile: see {@link prepareAll}.
   */
  prepare(caller: Principal, list: readonly T[]): Promise<void> | undefined {
    const rules = this.policies.rulesFor(caller);
    if (rules === null) return undefined;
    const made = this.madeOf(rules, list);
    if (made.left !== undefined) return undefined;
    return (made.making ??= this.make(made, rules, caller, list).finally(() => delete made.making));
  }

  private async make(
    made: Made<T>,
    rules: CallerRules,
    caller: Principal,
    list: readonly T[],
  ): Promise<void> {
    for (const resource of this.resourcesIn(list)) {
      await nextSlice();
      if (!this.areInForce(rules, caller)) return;
      rules.decideOn(resource);
    }
    made.left ??= this.leftBy(rules, list);
  }

  /** A caller about whom policies can decide nothing any more is told so itself, not those who are alike and wait with it. */
  private areInForce(rules: CallerRules, caller: Principal): boolean {
    try {
      return this.policies.rulesFor(caller) === rules;
    } catch {
      return false;
    }
  }

  private *resourcesIn(list: readonly T[]): Generator<PolicyResource, void> {
    for (const entry of list) yield* this.permits.resourcesOf(entry);
  }

  private leftBy(rules: CallerRules, list: readonly T[]): readonly T[] {
    const mayAsk = (resource: PolicyResource): boolean => rules.decideOn(resource);
    const left = list.flatMap((entry) => this.permits.left(entry, mayAsk) ?? []);
    const isWhole = left.length === list.length && left.every((entry, at) => entry === list[at]);
    return isWhole ? list : left;
  }

  private madeOf(rules: CallerRules, list: readonly T[]): Made<T> {
    let lists = this.made.get(rules);
    if (lists === undefined) this.made.set(rules, (lists = new WeakMap()));
    let made = lists.get(list);
    if (made === undefined) lists.set(list, (made = {}));
    return made;
  }
}

/** Rounds, each ended by a change of the policies, after which what is not decided is decided at once, so that nobody waits for ever. */
const ROUNDS = 100;

/**
 * Has several lists decided, all by the policies in force when it resolves: these may change while one of them is. Undefined
 * when they are, so that nothing waits. Each of `preparations` is a `prepare`, with its list as it is by then.
 */
export function prepareAll(
  ...preparations: readonly (() => Promise<void> | undefined)[]
): Promise<void> | undefined {
  const next = (): Promise<void> | undefined => {
    for (const prepare of preparations) {
      const preparing = prepare();
      if (preparing !== undefined) return preparing;
    }
    return undefined;
  };
  const first = next();
  return first === undefined ? undefined : untilNone(first, next);
}

async function untilNone(
  first: Promise<void>,
  next: () => Promise<void> | undefined,
): Promise<void> {
  let preparing: Promise<void> | undefined = first;
  for (let round = 0; preparing !== undefined && round < ROUNDS; round += 1) {
    await preparing;
    preparing = next();
  }
}
