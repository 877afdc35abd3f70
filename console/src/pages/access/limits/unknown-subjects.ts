import { client, type Schema } from '../../../api/client';
import { ApiProblem } from '../../../api/problem';

type Subject = Pick<Schema<'LimitBodyDto'>, 'organization' | 'principal' | 'agent' | 'skill'>;

/** There without a row: what everything is in by default, and the hub's own principal. */
const BUILT_IN = { organization: 'default', principal: 'admin' };

/** In sentences, which of those that a limit is for there are not. What cannot be looked up is left out. */
export async function unknownSubjects(subject: Subject): Promise<readonly string[]> {
  const { organization, principal, agent, skill } = subject;
  const looks: Promise<readonly string[]>[] = [];
  if (organization && organization !== BUILT_IN.organization) {
    const params = { path: { id: organization } };
    looks.push(
      missing('organization', organization, () =>
        client.GET('/api/v1/organizations/{id}', { params }),
      ),
    );
  }
  if (principal && principal !== BUILT_IN.principal) {
    const params = { path: { id: principal } };
    looks.push(
      missing('principal', principal, () => client.GET('/api/v1/principals/{id}', { params })),
    );
  }
  if (agent) looks.push(missing('agent', agent, () => skillsOf(agent)));
  if (skill) looks.push(missing('skill', skill, () => skillNamed(skill)));
  return (await Promise.all(looks)).flat();
}

/** `read` gives undefined, or the hub has no such thing, where it is not there. */
async function missing(
  kind: string,
  id: string,
  read: () => Promise<unknown>,
): Promise<readonly string[]> {
  const sentence = `There is no ${kind} “${id}” yet: until there is, the limit has no effect.`;
  try {
    return (await read()) === undefined ? [sentence] : [];
  } catch (thrown) {
    return thrown instanceof ApiProblem && thrown.status === 404 ? [sentence] : [];
  }
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
