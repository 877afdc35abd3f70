import type { Policy } from './domain/policy.js';
import {
  besides,
  NO_POLICIES,
  readPolicies,
  type ReadPolicies,
  withoutPolicy,
} from './policy-part.js';

/** Policies that come into force together, read: those of the hub apart from those of each organization. */
export class PolicyLayer {
  private constructor(
    /** Those that are switched off as well. */
    readonly policies: readonly Policy[],
    private readonly byOrganization: ReadonlyMap<string | null, ReadPolicies>,
  ) {}

  static readonly NONE = new PolicyLayer([], new Map());

  /** Reads policies in turns with other work; `name` as with {@link readPolicies}. */
  static async read(name: string, policies: readonly Policy[]): Promise<PolicyLayer> {
    const enabled = new Map<string | null, Policy[]>();
    for (const policy of policies.filter((each) => each.enabled)) {
      const others = enabled.get(policy.organization);
      if (others === undefined) enabled.set(policy.organization, [policy]);
      else others.push(policy);
    }
    const read = new Map<string | null, ReadPolicies>();
    for (const [organization, own] of enabled) {
      const whose = organization === null ? 'hub' : `of ${organization}`;
      read.set(organization, await readPolicies(`${name} ${whose}`, own));
    }
    return new PolicyLayer(policies, read);
  }

  /** What is left without one of them; `name` as with {@link readPolicies}. */
  async without(name: string, { id, organization }: Policy): Promise<PolicyLayer> {
    const left = await withoutPolicy(name, this.of(organization), id);
    return new PolicyLayer(
      this.policies.filter((each) => each.id !== id),
      new Map(this.byOrganization).set(organization, left),
    );
  }

  /** Those alone whose ids none of these has; itself, where that is all. */
  besides(others: readonly Policy[]): PolicyLayer {
    const ids = new Set(others.map(({ id }) => id));
    const policies = this.policies.filter(({ id }) => !ids.has(id));
    if (policies.length === this.policies.length) return this;
    const left = new Map<string | null, ReadPolicies>();
    for (const [organization, read] of this.byOrganization) {
      const own = besides(read, ids);
      if (own.parts.length + own.unreadable.length > 0) left.set(organization, own);
    }
    return new PolicyLayer(policies, left);
  }

  /** With one more, which is read already. */
  with(policy: Policy, read: ReadPolicies): PolicyLayer {
    const { organization } = policy;
    const others = this.of(organization);
    const together = {
      parts: [...others.parts, ...read.parts],
      unreadable: [...others.unreadable, ...read.unreadable],
    };
    return new PolicyLayer(
      [...this.policies, policy],
      new Map(this.byOrganization).set(organization, together),
    );
  }

  /** Those of an organization; of the hub: null. */
  of(organization: string | null): ReadPolicies {
    return this.byOrganization.get(organization) ?? NO_POLICIES;
  }

  /** The organizations that have some of their own; null: so has the hub. */
  get owners(): readonly (string | null)[] {
    return [...this.byOrganization.keys()];
  }

  /** The ids of those that cannot be read. */
  get unreadable(): readonly string[] {
    return [...this.byOrganization.values()].flatMap(({ unreadable }) => unreadable);
  }
}
