import type { Principal } from '../auth/index.js';
import { evictOldest } from '../common/evict-oldest.js';
import type { CallerRules } from './caller-rules.js';

/** Kinds of callers whose decisions are remembered. */
const KINDS = 2000;
/** Decisions remembered of all of them together, some 50 MiB. */
const DECISIONS = 250_000;

/** The rules of callers with the decisions they remember, within bounds: beyond, decisions are made anew. */
export class RememberedRules {
  /** By what the policies can tell of a caller, oldest first. */
  private kinds = new Map<string, CallerRules>();
  /** The same by the caller itself: it is the same object for a moment. */
  private callers = new WeakMap<Principal, CallerRules>();
  private decisions = 0;

  constructor(private readonly most = { kinds: KINDS, decisions: DECISIONS }) {}

  of(caller: Principal): CallerRules | undefined {
    return this.callers.get(caller);
  }

  /** Those of this kind of callers, which `make` gives where there are none yet. */
  keep(caller: Principal, kind: string, make: () => CallerRules): CallerRules {
    let rules = this.kinds.get(kind);
    if (rules === undefined) {
      rules = make();
      evictOldest(this.kinds, this.most.kinds);
      this.kinds.set(kind, rules);
    }
    this.callers.set(caller, rules);
    return rules;
  }

  /** To be called for each decision that one of them has made. */
  decided(): void {
    this.decisions += 1;
    if (this.decisions > this.most.decisions) this.forget();
  }

  forget(): void {
    this.kinds = new Map();
    this.callers = new WeakMap();
    this.decisions = 0;
  }
}
