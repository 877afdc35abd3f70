import type { TaskState } from '../../../protocol/a2a.js';

/** Which tasks a subscription is for, and what of them is delivered. A member that is null lets everything through. */
export interface SubscriptionFilter {
  /** One of these agents works on the task. */
  readonly agents: readonly string[] | null;
  /** The skill or the agent it works with has one of these tags, whatever their case. */
  readonly tags: readonly string[] | null;
  /** Only changes into these states are delivered; artifacts are then left out. */
  readonly states: readonly TaskState[] | null;
}

export const NO_FILTER: SubscriptionFilter = { agents: null, tags: null, states: null };

/** Whose tasks a subscription is for, and which of them. */
export interface Watch {
  readonly organization: string;
  readonly principalId: string;
  readonly scope: 'own' | 'organization';
  readonly filter: Pick<SubscriptionFilter, 'agents' | 'tags'>;
}

/** A task, or a part of one, that begins. */
export interface TaskBeginning {
  readonly organization: string;
  readonly principalId: string;
  /** The agents that begin to work on it. */
  readonly agents: readonly BeginningAgent[];
}

export interface BeginningAgent {
  readonly id: string;
  /** Its own tags and those of the skill that was chosen (of all its skills when none was), as keys. */
  readonly tags: ReadonlySet<string>;
}

/** Nothing that begins later on a task of its owner can change what `watches` says of it. */
export function isOfWholeTasks({ filter }: Pick<Watch, 'filter'>): boolean {
  return filter.agents === null && filter.tags === null;
}

/**
 * Whether the subscription is for what begins. Agents and tags must hold for the same agent; `tagKey`
 * says which tags are the same.
 */
export function watches(
  watch: Watch,
  beginning: TaskBeginning,
  tagKey: (tag: string) => string,
): boolean {
  if (watch.organization !== beginning.organization) return false;
  if (watch.scope === 'own' && watch.principalId !== beginning.principalId) return false;
  const { agents, tags } = watch.filter;
  if (agents === null && tags === null) return true;
  return beginning.agents.some(
    (agent) =>
      (agents === null || agents.includes(agent.id)) &&
      (tags === null || tags.some((tag) => agent.tags.has(tagKey(tag)))),
  );
}
