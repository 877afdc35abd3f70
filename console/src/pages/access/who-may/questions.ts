import { useQuery } from '@tanstack/react-query';
import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS } from '../../../api/pages';
import { ACCESS } from '../query-keys';
import type { Caller, Question } from './decide';

/** Questions of one table, at most. */
const MOST = 400;

/** The principals that there are, the newest first. */
export function usePrincipals() {
  return useQuery({
    queryKey: [ACCESS, 'callers'],
    queryFn: async ({ signal }) =>
      (await client.GET('/api/v1/principals', { params: { query: { limit: PAGE_ROWS } }, signal }))
        .data!.items,
    staleTime: 60_000,
  });
}

/** The skills of an agent, as its card has them. */
export function skillsOf({ card }: Schema<'AgentDto'>): { id: string; name: string }[] {
  const skills = (card as { readonly skills?: readonly { id: string; name?: string }[] }).skills;
  return (skills ?? []).map(({ id, name }) => ({ id, name: name || id }));
}

/** The rows of the table: each caller of one agent, or each agent and skill for one caller. */
export function questionsOf({
  by,
  agent,
  skill,
  caller,
  agents,
  principals,
}: {
  readonly by: string;
  readonly agent: string;
  readonly skill: string;
  readonly caller: Partial<Caller>;
  readonly agents: readonly Schema<'AgentDto'>[];
  readonly principals: readonly Schema<'PrincipalDto'>[];
}): readonly Question[] {
  if (by === 'agent') {
    if (agent === '') return [];
    return principals.slice(0, MOST).map(({ id, name, organization, groups }) => ({
      key: id,
      title: id,
      label: `${name ?? id} (${[organization, ...groups].join(', ')})`,
      caller: { id, signIn: caller.signIn },
      agentId: agent,
      skillId: skill === '' ? undefined : skill,
    }));
  }
  return agents
    .flatMap((each): Question[] => [
      { key: each.id, label: `${each.name}, by its name`, caller, agentId: each.id },
      ...skillsOf(each).map((skill) => ({
        key: `${each.id} ${skill.id}`,
        label: `${each.name}: ${skill.name}`,
        caller,
        agentId: each.id,
        skillId: skill.id,
      })),
    ])
    .slice(0, MOST);
}
