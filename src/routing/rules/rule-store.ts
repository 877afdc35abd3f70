import type { RecordSource } from '../../common/record-source.js';
import { VersionStore } from '../version-store.js';
import type { Rule, RuleDefinition } from './domain/rule.js';

/** One version of a rule, as it was from `createdAt` until the next one. Its place is not part of it. */
export interface RuleVersion extends RuleDefinition {
  readonly id: string;
  readonly version: number;
  /** Whether it was made by the API or declared in YAML. */
  readonly source: RecordSource;
  readonly createdAt: Date;
}

/**
 * The storage of the rules made by the API, which are few and held in memory where messages are routed, and
 * of the versions of these and of those declared in YAML. Every version is kept, also those of a deleted rule:
 * the next one of its id goes on counting.
 */
export abstract class RuleStore extends VersionStore<RuleVersion> {
  /** All rules in their order. */
  abstract all(): Promise<Rule[]>;

  /**
   * Replaces the rules by what `change` makes of them as they are stored at that moment, so that two
   * changes at once both count. `change` is pure, may run again, and may throw to leave all as it is.
   * A rule that is new, or whose definition is another than before, is at its next version then; what
   * `change` says of versions does not count. Resolves to the new list.
   */
  abstract change(
    change: (rules: readonly Rule[]) => readonly Rule[],
    now: Date,
  ): Promise<readonly Rule[]>;

  /**
   * Keeps a version of each rule declared in YAML whose definition is another than its newest version, and
   * of each rule of the API in whose place one stood that is declared no longer. Resolves to the declared
   * rules with their versions.
   */
  abstract keepDeclared(declared: readonly Rule[], now: Date): Promise<readonly Rule[]>;

  /** A number that every change raises, whichever process makes it; cheap to ask for. */
  abstract revision(): Promise<number>;
}
