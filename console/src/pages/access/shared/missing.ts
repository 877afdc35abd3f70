import { client } from '../../../api/client';
import { ApiProblem } from '../../../api/problem';

/** There without a row: what everything is in by default. */
const DEFAULT = 'default';

/** `sentence` where `read` gives undefined or the hub has no such thing; nothing where it is there, or cannot be looked up. */
export async function missing(
  sentence: string,
  read: () => Promise<unknown>,
): Promise<readonly string[]> {
  try {
    return (await read()) === undefined ? [sentence] : [];
  } catch (thrown) {
    return thrown instanceof ApiProblem && thrown.status === 404 ? [sentence] : [];
  }
}

/** In a sentence, that there is no organization of this id yet, and what comes of it; an empty id is none. */
export async function missingOrganization(id: string, effect: string): Promise<readonly string[]> {
  if (id === '' || id === DEFAULT) return [];
  return missing(`There is no organization “${id}” yet: ${effect}`, () =>
    client.GET('/api/v1/organizations/{id}', { params: { path: { id } } }),
  );
}

/** The same of one that would be made for what is put into it. */
export function newOrganization(id: string): Promise<readonly string[]> {
  return missingOrganization(id.trim(), 'it would be made.');
}
