import {
  AGENT_OPERATION,
  type DecidingPolicy,
  type HubOperation,
  type PolicyCaller,
  type PolicyResource,
} from './domain/policy.js';
import type { PolicySet } from './policy-set.js';
import { DEFAULT_DENIES } from './refusal-by.js';

/** Who is told of the decisions of {@link CallerRules}. */
export interface DecisionListener {
  /** A decision was made, and is remembered from now on. */
  decided(by: CallerRules): void;
  /** A decision could not be made, and so refuses. */
  failed(why: string): void;
}

/** What the policies say to callers that are alike to them. Decisions are remembered until the policies change. */
export class CallerRules {
  private readonly decisions = new Map<string, boolean>();
  /** The policies that refused, by what they refused. */
  private readonly refusing = new Map<string, string>();

  constructor(
    private readonly set: PolicySet,
    private readonly caller: PolicyCaller,
    private readonly listener: DecisionListener,
  ) {}

  /** Whether they may ask an agent, or for a skill of it: decided now if it is not yet. */
  decideOn(resource: PolicyResource): boolean {
    const key = this.set.mentions.keyOfResource(resource);
    let decision = this.decisions.get(key);
    if (decision === undefined) {
      decision = this.decide(AGENT_OPERATION, resource, key);
    }
    return decision;
  }

  /** Whether they may call an operation of the hub. */
  mayCall(operation: HubOperation): boolean {
    let decision = this.decisions.get(operation);
    if (decision === undefined) {
      decision = this.decide(operation, null, operation);
    }
    return decision;
  }

  /**
   * By which policies an operation, or agents and skills, were refused: their ids; `policies.default` where none permits it.
   * Undefined where nothing was refused, or no policy could be evaluated.
   */
  refusedBy(...what: readonly (HubOperation | PolicyResource)[]): string | undefined {
    const by = what.flatMap((each) => this.refusalOf(each)?.split(',') ?? []);
    return by.length === 0 ? undefined : [...new Set(by)].sort().join(',');
  }

  private refusalOf(what: HubOperation | PolicyResource): string | undefined {
    return this.refusing.get(
      typeof what === 'string' ? what : this.set.mentions.keyOfResource(what),
    );
  }

  private decide(
    operation: typeof AGENT_OPERATION | HubOperation,
    resource: PolicyResource | null,
    key: string,
  ): boolean {
    const { caller } = this;
    const { isAllowed, policies, errors } = this.set.decide({ caller, operation, resource });
    if (errors.length > 0) this.listener.failed(errors.join('; '));
    else if (!isAllowed) this.refusing.set(key, namesOf(policies));
    this.decisions.set(key, isAllowed);
    this.listener.decided(this);
    return isAllowed;
  }
}

function namesOf(policies: readonly DecidingPolicy[]): string {
  const ids = new Set(policies.map(({ id }) => id));
  return ids.size === 0 ? DEFAULT_DENIES : [...ids].sort().join(',');
}
