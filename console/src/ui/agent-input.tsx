import { useMay } from '../api/me';
import { readAgents, useAgentNames } from './agent-names';
import { NamedInput, type NamedInputProps } from './named-input';

/** The id of an agent: those that there are are suggested by id and name, and a name that was typed becomes the id of its agent. */
export function AgentInput(props: NamedInputProps) {
  const { known } = useAgentNames();
  const mayRead = useMay('agents:organization');
  return (
    <NamedInput
      {...props}
      kind="agents"
      known={known}
      read={() => (mayRead ? readAgents() : Promise.resolve(known))}
    />
  );
}

/** What to say of agents that are named by their ids and not there; undefined: nothing. */
export function useMissingAgents(ids: readonly string[]): string | undefined {
  const { isMissing } = useAgentNames();
  const missing = ids.filter(isMissing).map((id) => `“${id}”`);
  return missing.length === 0 ? undefined : `No agent has the id ${missing.join(' or ')}.`;
}

/** What to say of an agent that is named and not there; undefined: nothing. */
export function useMissingAgent(value: string | undefined): string | undefined {
  const { isMissing, meantBy } = useAgentNames();
  return value !== undefined && value !== '' && isMissing(meantBy(value))
    ? 'No agent has this id or name.'
    : undefined;
}
