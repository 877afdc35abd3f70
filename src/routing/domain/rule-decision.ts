import type { Principal } from '../../auth/index.js';
import type { RoutingDirective, RoutingTarget } from '../../protocol/routing-extension.js';
import type { PassedRule } from './route.js';

/**
 * How much of a message's text rules see; the characters (UTF-16 units) from its beginning. The worst
 * of patterns take some 100 ms for as many, all rules together (`RULE_LIMITS`).
 */
export const RULE_TEXT_LENGTH = 4096;

/** What rules decide by. */
export interface RuleQuestion {
  readonly principal: Pick<Principal, 'id' | 'organization' | 'scopes'>;
  /**
   * The tags the client asked for and no skill carries; else empty, because tags that a skill carries
   * decide before any rule. When there are some, only a rule with a condition on tags may decide.
   */
  readonly tags: readonly string[];
  /** The media types of the parts, each once, as written by the client. */
  readonly inputTypes: readonly string[];
  /** The text parts, joined by line feeds, up to {@link RULE_TEXT_LENGTH}; empty without any. */
  readonly text: string;
  /** The members of the request's metadata, covered by those of the message's. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Called with each rule that applies but finds no agent; the next one is asked then. */
  readonly passOver?: (passed: PassedOver) => void;
}

/** A rule that applied but found no agent, and where it leads. */
export interface PassedOver {
  readonly rule: PassedRule;
  readonly to: RoutingTarget;
}

/** Where a rule sends a message: at least one of the members of a target, or nowhere. */
export type RuleTarget =
  /** `skillId` may be of the form `agentId.skillId`, `composite.<id>`, or an id that agents share. */
  | { readonly to: RoutingTarget; readonly reject?: undefined }
  /** The message is refused (NO_ROUTE) with this sentence. */
  | { readonly to?: undefined; readonly reject: string };

/** How a plan of several agents is asked for, where the client has not said. */
export type RoutingOptions = Pick<
  RoutingDirective,
  'strategy' | 'require' | 'quorum' | 'deadlineSeconds' | 'maxAgents' | 'maxCalls'
>;

export interface RuleDecision {
  readonly rule: { readonly id: string; readonly name: string };
  /** Which conditions held, as one sentence that names the rule. */
  readonly why?: string;
  readonly target: RuleTarget;
  /**
   * They apply where the client names none: `strategy`, `require` and `quorum` together
   * when it names none of the three, each of the limits when it does not name that one. The strategy
   * is `one`, `all` or `first`.
   */
  readonly options?: RoutingOptions;
}
