import type { RecordSource } from '../../../common/record-source.js';
import type { RequirePolicy, RoutingTarget } from '../../../protocol/routing-extension.js';
import type { StepOutcome } from '../../domain/plan.js';
import type { StepStrategy } from '../../domain/strategy/step-policies.js';

/** In `inputs`: the client's message; every other word there is the name of a step. */
export const MESSAGE_INPUT = 'message';

/** Limits of one composite skill. */
export const COMPOSITE_LIMITS = {
  steps: 20,
  /** Agents that all steps together may ask at the same time, over the whole task. */
  delegations: 50,
  /** Of one step of `all` or `first` that does not say. */
  maxAgents: 10,
} as const;

/** A step begins after this one; `outcome` is `completed` when it is not said. */
export interface WrittenCondition {
  readonly step: string;
  readonly outcome?: StepOutcome;
}

/** A step as an operator writes it. What is absent has a default, see `step-graph.ts`. */
export interface WrittenStep extends RoutingTarget {
  /** `[a-z0-9-]{1,63}`; unique in its composite skill. */
  readonly name: string;
  /** Default `one`. */
  readonly strategy?: StepStrategy;
  /** For `all`; default `all`. */
  readonly require?: RequirePolicy;
  /** For `require: quorum`. */
  readonly quorum?: number;
  /** For `all` and `first`: at most so many agents. */
  readonly maxAgents?: number;
  /** `message` and names of steps, in the order they are put before the agent. */
  readonly inputs?: readonly string[];
  /** All must hold before it begins. */
  readonly after?: readonly WrittenCondition[];
  /** Seconds from its beginning until what still runs of it is canceled. */
  readonly deadlineSeconds?: number;
  /** The task may complete without it. */
  readonly optional?: boolean;
  /** Whether its artifacts are the task's result. */
  readonly result?: boolean;
}

/** What an operator says of a composite skill; the same in YAML and in the API. */
export interface CompositeDefinition {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples: readonly string[];
  readonly inputModes: readonly string[];
  readonly outputModes: readonly string[];
  /** The organizations whose principals may use it; null: everybody's. */
  readonly organizations: readonly string[] | null;
  /** False: it takes no new task; what is open goes on. */
  readonly enabled: boolean;
  /** Seconds until what still runs of the task is canceled; null: no limit of its own. */
  readonly deadlineSeconds: number | null;
  /** The most messages to agents for one task; null: the setting's. */
  readonly maxCalls: number | null;
  readonly steps: readonly WrittenStep[];
}

/** A named plan of an operator's: one skill of the hub. */
export interface Composite extends CompositeDefinition {
  /** `[a-z0-9-]{1,63}`. */
  readonly id: string;
  /** 1, 2, 3 …; every change raises it. */
  readonly version: number;
  /** `api`, or `config` for one declared in YAML. */
  readonly source: RecordSource;
  /** When the first version was made. */
  readonly createdAt: Date;
  /** When this version was made. */
  readonly updatedAt: Date;
}

/** The definition alone, without what the hub adds. */
export function definitionOf(composite: CompositeDefinition): CompositeDefinition {
  const { name, description, tags, examples, inputModes, outputModes } = composite;
  const { organizations, enabled, deadlineSeconds, maxCalls, steps } = composite;
  const card = { name, description, tags, examples, inputModes, outputModes };
  return { ...card, organizations, enabled, deadlineSeconds, maxCalls, steps };
}

/** Whether a step says of no agent that it is meant. */
export function namesNothing({ agentId, skillId, tags = [] }: WrittenStep): boolean {
  return agentId === undefined && skillId === undefined && tags.length === 0;
}
