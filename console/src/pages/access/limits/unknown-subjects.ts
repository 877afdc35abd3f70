import { client, type Schema } from '../../../api/client';
import { missing, missingOrganization } from '../shared/missing';

type Subject = Pick<Schema<'LimitBodyDto'>, 'organization' | 'principal' | 'agent' | 'skill'>;

/** There without a row: the hub's own principal. */
const BUILT_IN = 'admin';
const EFFECT = 'until there is, the limit has no effect.';

/** In sentences, which of those that a limit is for there are not. What cannot be looked up is left out. */
export async function unknownSubjects(subject: Subject): Promise<readonly string[]> {
  const { organization, principal, agent, skill } = subject;
  const look = (kind: string, id: string, read: () => Promise<unknown>) =>
    missing(`There is no ${kind} “${id}” yet: ${EFFECT}`, read);
  const looks = [missingOrganization(organization ?? '', EFFECT)];
  if (principal && principal !== BUILT_IN) {
    const params = { path: { id: principal } };
    looks.push(
      look('principal', principal, () => client.GET('/api/v1/principals/{id}', { params })),
    );
  }
  if (agent) looks.push(look('agent', agent, () => skillsOf(agent)));
  if (skill) looks.push(look('skill', skill, () => skillNamed(skill)));
  return (await Promise.all(looks)).flat();
}

async function skillNamed(name: string): Promise<unknown> {
  // No id of an agent has a dot.
  const dot = name.indexOf('.');
  const skills = await skillsOf(name.slice(0, dot));
  return skills.find(({ id }) => id === name.slice(dot + 1));
}

async function skillsOf(agent: string): Promise<readonly { readonly id: string }[]> {
  const { data } = await client.GET('/api/v1/agents/{id}', { params: { path: { id: agent } } });
  return (data!.card as { readonly skills?: readonly { readonly id: string }[] }).skills ?? [];
}
