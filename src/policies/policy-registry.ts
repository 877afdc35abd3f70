import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { evictOldest } from '../common/evict-oldest.js';
import { HubError } from '../common/hub-error.js';
import { Log } from '../common/logger.js';
import { RevisionedCache } from '../common/revisioned-cache.js';
import { AppConfig } from '../config/index.js';
import { CallerRules, type DecisionListener } from './caller-rules.js';
import { callerOf } from './domain/caller.js';
import type { HubOperation, Policy } from './domain/policy.js';
import { PolicyDecisionPoint } from './policy-decision-point.js';
import { PolicyLayer } from './policy-layer.js';
import { PolicyLayers } from './policy-layers.js';
import type { PolicySet } from './policy-set.js';
import { refusalBy } from './refusal-by.js';
import { RememberedRules } from './remembered-rules.js';
import { PoliciesChanged, PolicyStore } from './policy-store.js';

/** How long a decision that could not be made stays a refusal before it is tried again. */
const FAILURES_STAND_MS = 10_000;
/** How often a change is tried that others come before. */
const ATTEMPTS = 20;
/** Several hubs in one process share the engine. */
let registries = 0;

/** What decides at one moment. */
export interface InForce {
  readonly layers: PolicyLayers;
  /** Of the policies of the API. */
  readonly revision: number;
}

/** All policies in memory, for the path of every message. */
@Injectable()
export class PolicyRegistry extends RevisionedCache<Policy> implements PolicyDecisionPoint {
  private layers: PolicyLayers;
  private revision = 0;
  /** Changes of this process are made one after another. */
  private changing: Promise<unknown> = Promise.resolve();
  /** By the organization that has policies of its own, else one for all (null); made when first asked for. */
  private sets = new Map<string | null, PolicySet>();
  private ownOrganizations: ReadonlySet<string | null> = new Set();
  private hasHubPolicies = false;
  private readonly remembered = new RememberedRules();
  private readonly listener: DecisionListener = {
    decided: (by) => this.remembered.decided(by),
    failed: (why) => {
      this.report(why);
      this.forgetAt ??= this.clock.monotonicMs() + FAILURES_STAND_MS;
    },
  };
  /** When decisions that could not be made are tried again; undefined: there are none. */
  private forgetAt: number | undefined;
  private reported = new Set<string>();
  private readonly number = (registries += 1);
  private readonly reads = { config: 0, api: 0 };

  constructor(
    store: PolicyStore,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    super(store, 'policies', clock, log);
    this.layers = new PolicyLayers(config.policies.default);
  }

  get inForce(): InForce {
    const { layers, revision } = this;
    return { layers, revision };
  }

  /**
   * Makes a change that is decided on the policies in force, and is in force when it resolves, or as soon as the database answers again. It is decided anew where another process has
   * changed some meanwhile ({@link PoliciesChanged}); throws CONFLICT when that goes on.
   */
  change<T>(make: (inForce: InForce) => Promise<T>): Promise<T> {
    const changed = this.changing.then(() => this.attempt(make));
    this.changing = changed.catch(() => undefined);
    return changed;
  }

  private async attempt<T>(make: (inForce: InForce) => Promise<T>): Promise<T> {
    for (let attempts = 1; ; attempts += 1) {
      await this.renew();
      try {
        const made = await make(this.inForce);
        await this.follow();
        return made;
      } catch (error) {
        if (!(error instanceof PoliciesChanged)) throw error;
        if (attempts >= ATTEMPTS) {
          throw new HubError('CONFLICT', 'Others change policies all the time: try again.');
        }
      }
    }
  }

  /** Every policy: those of the configuration first, then by id. */
  all(): readonly Policy[] {
    return this.layers.policies;
  }

  /** Reads the policies of the configuration, which are in force when the result is called. */
  async declared(policies: readonly Policy[]): Promise<() => void> {
    const config = await this.layer('config', policies);
    return () => this.use(this.layers.replaced('config', config));
  }

  rulesFor(caller: Principal): CallerRules | null {
    const isOwn = this.ownOrganizations.has(caller.organization);
    if (!isOwn && !this.hasHubPolicies) return null;
    if (this.forgetAt !== undefined && this.clock.monotonicMs() >= this.forgetAt) this.forget();
    return this.remembered.of(caller) ?? this.newRulesFor(caller, isOwn);
  }

  refuseOperation(caller: Principal, operation: HubOperation): void {
    const rules = this.rulesFor(caller);
    if (rules?.mayCall(operation) !== false) return;
    throw new HubError('PERMISSION_DENIED', `A policy does not let you call ${operation}.`, {
      refusal: refusalBy(rules.refusedBy(operation)),
    });
  }

  protected override async onReload(all: readonly Policy[], revision: number): Promise<void> {
    const api = await this.layer('api', all);
    this.use(this.layers.replaced('api', api));
    this.revision = revision;
  }

  private layer(source: Policy['source'], policies: readonly Policy[]): Promise<PolicyLayer> {
    this.reads[source] += 1;
    // In the place of those before the ones in force.
    return PolicyLayer.read(`${this.number} ${source} ${this.reads[source] % 2}`, policies);
  }

  private use(layers: PolicyLayers): void {
    this.layers = layers;
    this.ownOrganizations = layers.owners;
    const isDenied = this.config.policies.default === 'deny';
    this.hasHubPolicies = isDenied || this.ownOrganizations.has(null);
    this.sets = new Map();
    this.forget();
    const policies = layers.displaced.map(({ id }) => id);
    if (policies.length > 0) {
      this.log.warn({ policies }, 'declared policies replace policies of the API with the same id');
    }
    for (const id of layers.unreadable) {
      this.report(`the policy ${id} cannot be read`);
    }
  }

  private forget(): void {
    this.remembered.forget();
    this.forgetAt = undefined;
  }

  private newRulesFor(caller: Principal, isOwn: boolean): CallerRules {
    const set = this.setOf(isOwn ? caller.organization : null);
    if (caller.isStandIn === true && set.mentions.readsSignIn) {
      throw new HubError(
        'CONFLICT',
        `Policies ask for the groups, the scopes or the sign-in of ${caller.id}, which are not known while it does not call itself: it has to send the message again.`,
      );
    }
    const asker = callerOf(caller);
    const key = set.mentions.keyOfCaller(asker);
    return this.remembered.keep(caller, key, () => new CallerRules(set, asker, this.listener));
  }

  private setOf(organization: string | null): PolicySet {
    let set = this.sets.get(organization);
    if (set === undefined) {
      set = this.layers.setFor(organization);
      this.sets.set(organization, set);
    }
    return set;
  }

  /** Once for each fault. */
  private report(why: string): void {
    if (this.reported.has(why)) return;
    evictOldest(this.reported, 1000);
    this.reported.add(why);
    this.log.error({ why }, 'a policy could not be evaluated: its callers are refused');
  }
}
