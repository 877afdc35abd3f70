import { useState } from 'react';
import type { Schema } from './client';
import { type LiveState, useLive } from './live';
import { useVisible } from './visible';

/** How an agent stands, as the stream of the hub says. */
export type AgentCondition = Pick<Schema<'AgentChangeDto'>, 'agentId' | 'health' | 'breaker'>;

/** What the hub says of an agent that it has read, brought up to date by what the stream said since. */
export function verdictOf(
  { state, verdict }: Pick<Schema<'AgentHealthDto'>, 'state' | 'verdict'>,
  condition: Pick<AgentCondition, 'health'> | undefined,
): Schema<'AgentHealthDto'>['verdict'] {
  return condition === undefined || condition.health === state ? verdict : condition.health;
}

const NONE: ReadonlyMap<string, AgentCondition> = new Map();

/** The health of all agents that one may see, by their ids, as it changes; none while the stream is cut: what is read is newer. */
export function useAgentConditions(enabled: boolean): {
  readonly conditions: ReadonlyMap<string, AgentCondition>;
  readonly live: LiveState;
} {
  const visible = useVisible();
  const [conditions, setConditions] = useState(NONE);
  const live = useLive({
    path: enabled && visible ? '/api/v1/agents/events' : null,
    onEvent: ({ event, data }) => {
      if (event === 'snapshot') {
        const { agents } = JSON.parse(data) as { readonly agents: readonly AgentCondition[] };
        setConditions(new Map(agents.map((each) => [each.agentId, each])));
      } else if (event === 'agent') {
        const change = JSON.parse(data) as AgentCondition;
        setConditions((before) => new Map(before).set(change.agentId, change));
      }
    },
  });
  if (live !== 'live' && conditions !== NONE) setConditions(NONE);
  return { conditions, live };
}
