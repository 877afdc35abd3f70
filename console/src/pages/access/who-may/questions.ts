import { useQuery } from '@tanstack/react-query';
import { api, client, type Schema } from '../../../api/client';
import { type FirstRows, readPages } from '../../../api/read-pages';
import { every } from '../../../api/pace';
import { ACCESS } from '../query-keys';
import { barOf } from './bar';
import type { Caller, Question } from './decide';

/** How often it is looked who there is. */
const REFRESH_MS = 30_000;
/** Questions of one table, at most, and what is read for them. */
const MOST = 400;

/** The principals that there are, the newest first, as far as they are asked for. */
export function usePrincipals() {
  return useQuery({
    queryKey: [ACCESS, 'callers'],
    queryFn: ({ signal }) =>
      readPages(MOST, (query) => client.GET('/api/v1/principals', { params: { query }, signal })),
    refetchInterval: every(REFRESH_MS),
  });
}

/** The principal of this id, which is asked for; none for an empty one. */
export function useCaller(id: string) {
  return api.useQuery(
    'get',
    '/api/v1/principals/{id}',
    { params: { path: { id } } },
    { enabled: id !== '', refetchInterval: every(REFRESH_MS) },
  );
}

/** The skills of an agent, as its card has them. */
export function skillsOf({ card }: Schema<'AgentDto'>): { id: string; name: string }[] {
  const skills = (card as { readonly skills?: readonly { id: string; name?: string }[] }).skills;
  return (skills ?? []).map(({ id, name }) => ({ id, name: name || id }));
}

function callStateOf(principal: Schema<'PrincipalDto'> | undefined) {
  return { bar: barOf(principal), isKeyless: principal?.state === 'keyless' };
}

/** The rows of the table: each caller of one agent, or each agent and skill for one caller; the first where there are more. */
export function questionsOf({
  by,
  agent,
  skill,
  caller,
  asker,
  agents,
  principals,
}: {
  readonly by: string;
  readonly agent: string;
  readonly skill: string;
  readonly caller: Partial<Caller>;
  /** Of whom it is asked what it may ask. */
  readonly asker: Schema<'PrincipalDto'> | undefined;
  readonly agents: FirstRows<Schema<'AgentDto'>>;
  readonly principals: FirstRows<Schema<'PrincipalDto'>>;
}): FirstRows<Question> {
  if (by === 'agent') {
    if (agent === '') return { rows: [], hasMore: false };
    const rows = principals.rows.map((each) => ({
      key: each.id,
      title: each.id,
      label: `${each.name ?? each.id} (${[each.organization, ...each.groups].join(', ')})`,
      caller: { id: each.id, signIn: caller.signIn },
      agentId: agent,
      skillId: skill === '' ? undefined : skill,
      ...callStateOf(each),
    }));
    return { rows, hasMore: principals.hasMore };
  }
  if (asker === undefined) return { rows: [], hasMore: false };
  const state = callStateOf(asker);
  const all = agents.rows.flatMap((each): Question[] => [
    { key: each.id, label: `${each.name}, by its name`, caller, agentId: each.id, ...state },
    ...skillsOf(each).map((skill) => ({
      key: `${each.id} ${skill.id}`,
      label: `${each.name}: ${skill.name}`,
      caller,
      agentId: each.id,
      skillId: skill.id,
      ...state,
    })),
  ]);
  return { rows: all.slice(0, MOST), hasMore: agents.hasMore || all.length > MOST };
}
