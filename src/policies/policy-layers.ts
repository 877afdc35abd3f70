import type { Policy } from './domain/policy.js';
import { PolicyLayer } from './policy-layer.js';
import type { ReadPolicies } from './policy-part.js';
import { PolicySet, type PolicyDefault } from './policy-set.js';

/**
 * Policies that decide together, read: those of the configuration, and those of the API. One of the configuration takes the
 * place of one of the API that has its id.
 */
export class PolicyLayers {
  private readonly api: PolicyLayer;

  constructor(
    private readonly usual: PolicyDefault,
    private readonly config = PolicyLayer.NONE,
    private readonly stored = PolicyLayer.NONE,
  ) {
    this.api = stored.besides(config.policies);
  }

  replaced(source: Policy['source'], layer: PolicyLayer): PolicyLayers {
    const { usual, config, stored } = this;
    return source === 'config'
      ? new PolicyLayers(usual, layer, stored)
      : new PolicyLayers(usual, config, layer);
  }

  /** The policies of the API that decide nothing, as one of the configuration has their id. */
  get displaced(): readonly Policy[] {
    const left = new Set(this.api.policies);
    return this.stored.policies.filter((policy) => !left.has(policy));
  }

  of(source: Policy['source']): PolicyLayer {
    return source === 'config' ? this.config : this.api;
  }

  /** Every policy: those of the configuration first, then by id. */
  get policies(): readonly Policy[] {
    return [...this.config.policies, ...this.api.policies];
  }

  /** The organizations that have some of their own; null: so has the hub. */
  get owners(): ReadonlySet<string | null> {
    return new Set([...this.config.owners, ...this.api.owners]);
  }

  /** The ids of those that cannot be read. */
  get unreadable(): readonly string[] {
    return [...this.config.unreadable, ...this.api.unreadable];
  }

  /** Those that decide of callers of an organization; null: of one that has none of its own. */
  setFor(organization: string | null): PolicySet {
    const { config, api } = this;
    const read = [config.of(null), api.of(null)];
    if (organization !== null) read.push(config.of(organization), api.of(organization));
    return this.setOf(...read);
  }

  /** These policies, as if there were no others. */
  setOf(...read: readonly ReadPolicies[]): PolicySet {
    return new PolicySet(this.usual, ...read);
  }
}
