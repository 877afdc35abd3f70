import type { Policy, PolicyQuestion, PolicyTest } from './domain/policy.js';
import type { PolicyLayers } from './policy-layers.js';
import { NO_POLICIES, readPolicies, type ReadPolicies } from './policy-part.js';
import type { PolicySet } from './policy-set.js';

/** One policy as it is and as it is to be; undefined: there is none. */
export interface PolicyChange {
  readonly before: Policy | undefined;
  readonly after: Policy | undefined;
}

/** A change of one policy that is not made yet, with what would decide after it. */
export class TriedChange {
  private constructor(
    readonly change: PolicyChange,
    readonly layers: Record<'before' | 'after', PolicyLayers>,
    /** What the policy says by itself, where it is for the caller, and what is decided without any. */
    private readonly alone: Record<'before' | 'after' | 'without', PolicySet>,
  ) {}

  /** Reads what is new of it, in turns with other work; `name` as with {@link readPolicies}. */
  static async read(
    name: string,
    change: PolicyChange,
    inForce: PolicyLayers,
  ): Promise<TriedChange> {
    const { before, after } = change;
    const [was, is] = [
      await readEnabled(`${name} before`, before),
      await readEnabled(`${name} after`, after),
    ];
    let layers = inForce;
    if (before !== undefined) {
      const layer = await layers.of(before.source).without(`${name} others`, before);
      layers = layers.replaced(before.source, layer);
    }
    if (after !== undefined) {
      layers = layers.replaced(after.source, layers.of(after.source).with(after, is));
    }
    const alone = {
      before: inForce.setOf(was),
      after: inForce.setOf(is),
      without: inForce.setOf(NO_POLICIES),
    };
    return new TriedChange(change, { before: inForce, after: layers }, alone);
  }

  /** It changes what is decided. */
  private get isFelt(): boolean {
    const [was, is] = [this.change.before, this.change.after].map((policy) =>
      policy?.enabled === true ? [policy.organization, policy.text] : null,
    );
    return JSON.stringify(was) !== JSON.stringify(is);
  }

  /** The other policies in force whose tests can see it: of the hub all, of one organization those of that alone. */
  get others(): readonly Policy[] {
    if (!this.isFelt) return [];
    const { before, after } = this.change;
    const owners = [before, after].flatMap((each) => (each === undefined ? [] : each.organization));
    return this.layers.after.policies.filter(
      (policy) =>
        policy.enabled &&
        policy.id !== after?.id &&
        (owners.includes(null) || owners.includes(policy.organization)),
    );
  }

  /** Whether a test that passes may fail by it, so that all policies have to be asked: most cannot, whatever others say. */
  mayFail(question: PolicyQuestion, expect: PolicyTest['expect']): boolean {
    const [was, is] = [this.said('before', question), this.said('after', question)];
    return expect === 'allow' ? is < was : is > was;
  }

  /** How much the policy leaves open of what others permit: it refuses it (0), says nothing (1), or permits it itself (2). */
  private said(which: 'before' | 'after', question: PolicyQuestion): number {
    const owner = this.change[which]?.organization ?? null;
    const isMeant = owner === null || owner === question.caller.organization;
    const set = isMeant ? this.alone[which] : this.alone.without;
    const { isAllowed, policies, errors } = set.decide(question);
    if (isAllowed) return 2;
    return policies.length > 0 || errors.length > 0 ? 0 : 1;
  }
}

function readEnabled(name: string, policy: Policy | undefined): Promise<ReadPolicies> {
  return policy?.enabled === true ? readPolicies(name, [policy]) : Promise.resolve(NO_POLICIES);
}
