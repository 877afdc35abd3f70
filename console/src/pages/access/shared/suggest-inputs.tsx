import { useQuery } from '@tanstack/react-query';
import { client } from '../../../api/client';
import { useMay } from '../../../api/me';
import { PAGE_ROWS } from '../../../api/pages';
import { readPages } from '../../../api/read-pages';
import { Suggest } from '../../../ui/suggest';
import { ACCESS } from '../query-keys';

interface InputProps {
  readonly id?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly disabled?: boolean;
}

/** The agents that whoever is signed in may see, the first `most` of them. */
export function useAgents(most = PAGE_ROWS) {
  return useQuery({
    queryKey: [ACCESS, 'agents', most],
    queryFn: ({ signal }) =>
      readPages(most, (query) => client.GET('/api/v1/agents', { params: { query }, signal })),
    staleTime: 60_000,
    enabled: useMay('agents:organization'),
  });
}

/** The id of an agent; those that there are are suggested. */
export function AgentInput(props: InputProps) {
  const agents = useAgents();
  return (
    <Suggest
      {...props}
      onChange={(event) => props.onChange(event.target.value)}
      values={(agents.data?.rows ?? []).map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}
