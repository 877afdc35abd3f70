import type { RecordSource } from '../../common/record-source.js';
import type { Scope } from '../../common/scope.js';

/** What a policy may be as long as, and hold. */
export const POLICY_LIMITS = {
  /** Characters of its text. */
  text: 16_384,
  statements: 50,
  /** Brackets and `if`s within each other. The engine fails from 60 on. */
  nesting: 24,
  /** Operators, accesses and brackets, each an operand of the next: `a.b || c || d` has three. The engine fails from 100 on, and reads JSON of 60. */
  operators: 50,
  tests: 50,
  /** Policies made through the API, of one organization or of the hub. */
  policies: 500,
  /** Entries of a list in a test or a dry run. */
  entries: 100,
} as const;

/** How a caller proved who it is. */
export const SIGN_INS = ['key', 'token', 'certificate', 'none'] as const;
export type SignInKind = (typeof SIGN_INS)[number];

/** What may be decided about, by its name in A2A 1.0. Those of agents and skills first. */
export const AGENT_OPERATION = 'SendMessage';
export const HUB_OPERATIONS = [
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
  'GetExtendedAgentCard',
] as const;
export type HubOperation = (typeof HUB_OPERATIONS)[number];
export const OPERATIONS = [AGENT_OPERATION, ...HUB_OPERATIONS] as const;
export type PolicyOperation = (typeof OPERATIONS)[number];

/** Who asks, as policies see it. */
export interface PolicyCaller {
  readonly id: string;
  readonly organization: string;
  readonly groups: readonly string[];
  readonly scopes: readonly Scope[];
  readonly signIn: SignInKind;
  /** Of the token, or `certificate:NAME`; empty without. */
  readonly issuer: string;
}

/** What is asked: an agent, or one skill of it. */
export interface PolicyResource {
  readonly agentId: string;
  /** The operator's tags of the agent. */
  readonly agentTags: readonly string[];
  /** Null: the agent itself, with whatever it can do. */
  readonly skillId: string | null;
  /** Of the skill. */
  readonly tags: readonly string[];
}

export interface PolicyQuestion {
  readonly caller: PolicyCaller;
  readonly operation: PolicyOperation;
  /** Null for operations of the hub. */
  readonly resource: PolicyResource | null;
}

/** A policy that had a part in a decision. */
export interface DecidingPolicy {
  /** `built-in` for the hub's own. */
  readonly id: string;
  readonly effect: 'permit' | 'forbid';
  /** The `@reason` of the statement; null without. */
  readonly reason: string | null;
}

export interface PolicyDecision {
  readonly isAllowed: boolean;
  /** Those that decided: the forbids if there are any, else the permits. None: nothing permits it. */
  readonly policies: readonly DecidingPolicy[];
  /** Why policies could not be evaluated, which is a refusal. */
  readonly errors: readonly string[];
}

/** One question with its expected answer, kept beside a policy and asked whenever that is saved. */
export interface PolicyTest {
  readonly name: string;
  readonly caller: Partial<PolicyCaller>;
  readonly operation?: PolicyOperation | undefined;
  readonly agentId?: string | undefined;
  readonly agentTags?: readonly string[] | undefined;
  readonly skillId?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly expect: 'allow' | 'deny';
}

/** What of a policy its author writes. */
export interface PolicyDefinition {
  readonly description: string;
  /** Of whose callers it decides; null: of all. */
  readonly organization: string | null;
  readonly enabled: boolean;
  /** Statements of Cedar. */
  readonly text: string;
  readonly tests: readonly PolicyTest[];
}

export interface Policy extends PolicyDefinition {
  readonly id: string;
  /** Raised by every change. */
  readonly version: number;
  readonly source: RecordSource;
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
}
