import type { Principal } from '../auth/index.js';
import type { CallerRules } from './caller-rules.js';

/** Kinds of callers whose decisions are remembered. */
const KINDS = 2000;
/** Decisions remembered of all of them together, some 50 MiB. */
const DECISIONS = 250_000;

/** The rules of one kind of callers, as long as they are remembered. */
interface Kept {
  readonly kind: string;
  readonly rules: CallerRules;
  decisions: number;
  isForgotten: boolean;
}

/** The rules of callers with the decisions they remember, within bounds: beyond, those known for longest are made anew. */
export class RememberedRules {
  /** By what the policies can tell of a caller, oldest first. */
  private readonly kinds = new Map<string, Kept>();
  private readonly ofRules = new WeakMap<CallerRules, Kept>();
  /** By the caller itself: it is the same object for a moment. */
  private readonly callers = new WeakMap<Principal, Kept>();
  private decisions = 0;

  constructor(private readonly most = { kinds: KINDS, decisions: DECISIONS }) {}

  of(caller: Principal): CallerRules | undefined {
    const kept = this.callers.get(caller);
    return kept === undefined || kept.isForgotten ? undefined : kept.rules;
  }

  /** Those of this kind of callers, which `make` gives where there are none yet. */
  keep(caller: Principal, kind: string, make: () => CallerRules): CallerRules {
    let kept = this.kinds.get(kind);
    if (kept === undefined) {
      kept = { kind, rules: make(), decisions: 0, isForgotten: false };
      if (this.kinds.size >= this.most.kinds) this.forgetOldest(undefined);
      this.kinds.set(kind, kept);
      this.ofRules.set(kept.rules, kept);
    }
    this.callers.set(caller, kept);
    return kept.rules;
  }

  /** To be called for each decision that one of them has made. */
  decided(by: CallerRules): void {
    const kept = this.ofRules.get(by);
    if (kept === undefined || kept.isForgotten) return;
    kept.decisions += 1;
    this.decisions += 1;
    // Others first, so that whoever decides comes to an end.
    while (this.decisions > this.most.decisions && this.kinds.size > 1) this.forgetOldest(kept);
  }

  forget(): void {
    for (const kept of this.kinds.values()) kept.isForgotten = true;
    this.kinds.clear();
    this.decisions = 0;
  }

  private forgetOldest(spared: Kept | undefined): void {
    for (const kept of this.kinds.values()) {
      if (kept === spared) continue;
      kept.isForgotten = true;
      this.kinds.delete(kept.kind);
      this.decisions -= kept.decisions;
      return;
    }
  }
}
