import type { Rule } from './domain/rule.js';

/** The storage of the rules made by the API. They are few, and held in memory where messages are routed. */
export abstract class RuleStore {
  /** All rules in their order. */
  abstract all(): Promise<Rule[]>;

  /**
   * Replaces the rules by what `change` makes of them as they are stored at that moment, so that two
   * changes at once both count. `change` is pure, may run again, and may throw to leave all as it is.
   * Resolves to the new list.
   */
  abstract change(change: (rules: readonly Rule[]) => readonly Rule[]): Promise<readonly Rule[]>;

  /** A number that every change raises, whichever process makes it; cheap to ask for. */
  abstract revision(): Promise<number>;
}
