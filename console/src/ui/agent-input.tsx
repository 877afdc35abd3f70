import { useAgentNames } from './agent-names';
import { NamedInput, type NamedInputProps } from './named-input';

/** The id of an agent: those that there are are suggested by id and name, and a name that was typed becomes the id of its agent. */
export function AgentInput(props: NamedInputProps) {
  const { suggestions, meantBy } = useAgentNames();
  return <NamedInput {...props} suggestions={suggestions} meantBy={meantBy} />;
}

/** What to say of an agent that is named and not there; undefined: nothing. */
export function useMissingAgent(value: string | undefined): string | undefined {
  const { isMissing, meantBy } = useAgentNames();
  return value !== undefined && value !== '' && isMissing(meantBy(value))
    ? 'No agent has this id or name.'
    : undefined;
}
