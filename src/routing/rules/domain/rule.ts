import type { RecordSource } from '../../../common/record-source.js';
import type { Scope } from '../../../common/scope.js';
import type { TagMatch, RequirePolicy } from '../../../protocol/routing-extension.js';
import type { StepStrategy } from '../../domain/strategy/step-policies.js';

/** What a member of the metadata may be compared with. */
export type MetadataValue = string | number | boolean;

/**
 * What must hold for a rule to apply: every condition that is there; none: it applies to every
 * message. A condition that is a list holds when one of its entries does.
 */
export interface RuleConditions {
  /** The caller's organization, exactly. */
  readonly organizations?: readonly string[];
  /** The caller holds one of them; `admin` holds all. */
  readonly scopes?: readonly Scope[];
  /** The media type of some part: `image/png`, or a range such as `image/*`; parameters are ignored. */
  readonly inputTypes?: readonly string[];
  /** Tags the client asked for, without regard to case. */
  readonly tags?: readonly string[];
  /** Whether it must have asked for every one of `tags`, or for one of them (the default). */
  readonly tagMatch?: TagMatch;
  readonly text?: TextCondition;
  /** By the path of a member (`customer.tier`): what it must be, or one of what it may be. */
  readonly metadata?: Readonly<Record<string, MetadataValue | readonly MetadataValue[]>>;
}

/** A regular expression (RE2 syntax) that must match somewhere in the message's text. */
export interface TextCondition {
  readonly pattern: string;
  /** Default false. */
  readonly ignoreCase?: boolean;
}

/** Where the message goes: exactly one of `agentId`, `skillId`, `tags`, `composite` and `reject`. */
export interface RuleAction {
  readonly agentId?: string;
  /** `agentId.skillId`, or a skill id that agents share. */
  readonly skillId?: string;
  readonly tags?: readonly string[];
  /** For `tags`; default `all`. */
  readonly match?: TagMatch;
  /** A composite skill's id. */
  readonly composite?: string;
  /** Nowhere: the message is refused with this sentence. */
  readonly reject?: string;
  /** Default `one`; plans of several steps are composite skills. */
  readonly strategy?: StepStrategy;
  readonly require?: RequirePolicy;
  readonly quorum?: number;
  readonly maxAgents?: number;
  readonly deadlineSeconds?: number;
  readonly maxCalls?: number;
}

/** What an operator says of a rule, but for its place. */
export interface RuleDefinition {
  readonly name: string;
  /** False: it is left out, as if it were not there. */
  readonly enabled: boolean;
  readonly conditions: RuleConditions;
  readonly target: RuleAction;
}

/** One of the operator's rules. Their order is that of the list they are in. */
export interface Rule extends RuleDefinition {
  /** `[a-z0-9-]{1,63}`, unique among all rules. */
  readonly id: string;
  /** 1, 2, 3 …; every change of its definition raises it. 0 while it is not stored. */
  readonly version: number;
  /** `api`, or `config` for one declared in YAML, which has no times of its own. */
  readonly source: RecordSource;
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
}

/** The definition alone, without what the hub adds. */
export function definitionOf({ name, enabled, conditions, target }: RuleDefinition) {
  return { name, enabled, conditions, target } satisfies RuleDefinition;
}

/** How large rules may be. Every message without a target of its own is held against all of them. */
export const RULE_LIMITS = {
  /** Rules made by the API, and rules declared in YAML. */
  rules: 500,
  /** Entries of a list in a condition. */
  entries: 100,
  /** Characters of a pattern. */
  pattern: 500,
  /**
   * Instructions of a pattern's program, and of all that are searched for: those of the enabled rules
   * made by the API, and of those declared in YAML. At worst the time of a search grows with them times
   * the length of the text, some 25 ns for each: 100 ms for a message that everything is searched in.
   */
  instructions: 250,
  allInstructions: 500,
  /** Members of the metadata that one rule looks at. */
  metadata: 20,
  /** Characters of a path or a value of the metadata. */
  text: 255,
  /** Characters of the sentence of a rejection. */
  reject: 500,
  name: 200,
} as const;
