import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { evictOldest } from '../common/evict-oldest.js';
import { HubError } from '../common/hub-error.js';
import { Log } from '../common/logger.js';
import { RevisionedCache } from '../common/revisioned-cache.js';
import { AppConfig } from '../config/index.js';
import { CallerRules } from './caller-rules.js';
import { readAhead, statementsIn } from './cedar-text.js';
import { callerOf } from './domain/caller.js';
import type { HubOperation, Policy } from './domain/policy.js';
import { PolicyDecisionPoint } from './policy-decision-point.js';
import { PolicySet } from './policy-set.js';
import { refusalBy } from './refusal-by.js';
import { PolicyStore } from './policy-store.js';

/** Kinds of callers whose decisions are remembered. */
const REMEMBERED = 2000;
/** Several hubs in one process share the engine. */
let registries = 0;

/** All policies in memory, for the path of every message. */
@Injectable()
export class PolicyRegistry extends RevisionedCache<Policy> implements PolicyDecisionPoint {
  private stored: readonly Policy[] = [];
  private declared: readonly Policy[] = [];
  /** By the organization that has policies of its own, else one for all; made when first asked for. */
  private sets = new Map<string, PolicySet>();
  private ownOrganizations: ReadonlySet<string> = new Set();
  private hasHubPolicies = false;
  /** By the class of the caller, oldest first. */
  private rules = new Map<string, CallerRules>();
  /** The same by the caller itself: it is the same object for a moment. */
  private byCaller = new WeakMap<Principal, CallerRules>();
  private reported = new Set<string>();
  private readonly number = (registries += 1);

  constructor(
    store: PolicyStore,
    private readonly config: AppConfig,
    clock: Clock,
    private readonly log: Log,
  ) {
    super(store, 'policies', clock, log);
  }

  /** Every policy: those of the configuration first, then by id. */
  all(): readonly Policy[] {
    return [...this.declared, ...this.stored];
  }

  /** The policies of the configuration, from now on; {@link readAhead} comes first where there are many. */
  declare(policies: readonly Policy[]): void {
    this.declared = policies;
    this.renewSets();
  }

  rulesFor(caller: Principal): CallerRules | null {
    const isOwn = this.ownOrganizations.has(caller.organization);
    if (!isOwn && !this.hasHubPolicies) return null;
    let rules = this.byCaller.get(caller);
    if (rules === undefined) {
      rules = this.classOf(caller, isOwn);
      this.byCaller.set(caller, rules);
    }
    return rules;
  }

  refuseOperation(caller: Principal, operation: HubOperation): void {
    const rules = this.rulesFor(caller);
    if (rules?.mayCall(operation) !== false) return;
    throw new HubError('PERMISSION_DENIED', `A policy does not let you call ${operation}.`, {
      refusal: refusalBy(rules.refusedBy(operation)),
    });
  }

  /** The policies that decide of callers of this organization, with the ones given in place of those of the same ids. */
  deciding(organization: string, instead: readonly Policy[] = []): readonly Policy[] {
    const ids = new Set(instead.map(({ id }) => id));
    return [...this.all().filter(({ id }) => !ids.has(id)), ...instead].filter(
      (policy) =>
        policy.enabled && (policy.organization === null || policy.organization === organization),
    );
  }

  protected override async onReload(all: readonly Policy[]): Promise<void> {
    await readAhead(textsOf(all));
    this.stored = all;
    this.renewSets();
  }

  private renewSets(): void {
    const all = this.all().filter(({ enabled }) => enabled);
    this.ownOrganizations = new Set(all.flatMap(({ organization }) => organization ?? []));
    const isDenied = this.config.policies.default === 'deny';
    this.hasHubPolicies = isDenied || all.some(({ organization }) => organization === null);
    this.sets = new Map();
    this.rules = new Map();
    this.byCaller = new WeakMap();
    for (const { id, text } of all) {
      if (statementsIn(text) === undefined) this.report(`the policy ${id} cannot be read`);
    }
  }

  private classOf(caller: Principal, isOwn: boolean): CallerRules {
    const set = this.setOf(caller.organization, isOwn);
    if (caller.isStandIn === true && set.mentions.readsSignIn) {
      throw new HubError(
        'CONFLICT',
        `Policies ask for the groups, the scopes or the sign-in of ${caller.id}, which are not known while it does not call itself: it has to send the message again.`,
      );
    }
    const asker = callerOf(caller);
    const key = set.mentions.keyOfCaller(asker);
    let rules = this.rules.get(key);
    if (rules === undefined) {
      rules = new CallerRules(set, asker, (why) => this.report(why));
      evictOldest(this.rules, REMEMBERED);
      this.rules.set(key, rules);
    }
    return rules;
  }

  private setOf(organization: string, isOwn: boolean): PolicySet {
    const name = isOwn ? `${this.number} of ${organization}` : `${this.number}`;
    let set = this.sets.get(name);
    if (set === undefined) {
      const policies = this.deciding(isOwn ? organization : '');
      set = new PolicySet(name, policies, this.config.policies.default);
      this.sets.set(name, set);
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

/** The texts of those that decide. */
export function textsOf(policies: readonly Policy[]): string[] {
  return policies.filter(({ enabled }) => enabled).map(({ text }) => text);
}
