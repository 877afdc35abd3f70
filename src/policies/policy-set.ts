import { cedarQuestion } from './domain/cedar-schema.js';
import { Mentions } from './domain/mentions.js';
import {
  type DecidingPolicy,
  HUB_OPERATIONS,
  type Policy,
  type PolicyDecision,
  type PolicyQuestion,
} from './domain/policy.js';
import { scopeOf } from './domain/statement-scope.js';
import {
  type PartAnswer,
  type PolicyPart,
  readPolicies,
  type ReadPolicies,
} from './policy-part.js';

/** What the hub's own statements are called. */
export const BUILT_IN = 'built-in';
const HUB: ReadonlySet<string> = new Set(HUB_OPERATIONS);
/** What nothing is permitted that no policy permits: `deny`; or everything that none forbids: `permit`. */
export type PolicyDefault = 'permit' | 'deny';

/** Whatever a caller may do by its scopes is permitted unless a policy forbids it: the hub's own operations under `deny`, too. */
const PERMIT: DecidingPolicy = { id: BUILT_IN, effect: 'permit', reason: null };

/** Policies that decide together. A decision that cannot be made is a refusal. */
export class PolicySet {
  private spokenOf: Mentions | undefined;
  private readonly parts: readonly PolicyPart[];
  /** Why nothing can be decided, which refuses everything. */
  private readonly faults: readonly string[];

  constructor(
    private readonly usual: PolicyDefault,
    ...read: readonly ReadPolicies[]
  ) {
    this.parts = read.flatMap(({ parts }) => parts);
    this.faults = read.flatMap(({ unreadable }) =>
      unreadable.map((id) => `the policy ${id} cannot be read`),
    );
  }

  /** What its policies speak of. */
  get mentions(): Mentions {
    return (this.spokenOf ??= Mentions.of(this.parts.map(({ mentions }) => mentions)));
  }

  /** Policies read for this set alone; `name` as with {@link readPolicies}. */
  static async read(
    name: string,
    policies: readonly Pick<Policy, 'id' | 'text'>[],
    usual: PolicyDefault,
  ): Promise<PolicySet> {
    return new PolicySet(usual, await readPolicies(name, policies));
  }

  /** Parts are asked one by one, which is the same as all at once: forbid wins, else permit. */
  decide(question: PolicyQuestion): PolicyDecision {
    if (this.faults.length > 0) return refused([], this.faults);
    const scope = scopeOf(cedarQuestion(question));
    const answers = this.parts.map((part) => part.ask(question, scope));
    const errors = answers.flatMap((answer) => answer.errors);
    if (errors.length > 0) return refused([], errors);
    const forbids = answers.filter(({ isAllowed }) => !isAllowed).flatMap(policiesOf);
    if (forbids.length > 0) return refused(forbids);
    const isUsual = this.usual === 'permit' || HUB.has(question.operation);
    const permits = [...(isUsual ? [PERMIT] : []), ...answers.flatMap(policiesOf)];
    return { isAllowed: permits.length > 0, policies: permits, errors: [] };
  }
}

function policiesOf({ policies }: PartAnswer): PartAnswer['policies'] {
  return policies;
}

function refused(
  policies: PolicyDecision['policies'],
  errors: readonly string[] = [],
): PolicyDecision {
  return { isAllowed: false, policies, errors };
}
