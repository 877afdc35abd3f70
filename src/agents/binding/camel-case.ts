/** Members of tasks, messages and events whose names have more than one word, as a library may write them. */
const NAMES: ReadonlyMap<string, string> = new Map(
  [
    ...['contextId', 'taskId', 'messageId', 'artifactId', 'referenceTaskIds', 'lastChunk'],
    ...['mediaType', 'mimeType', 'fileWithBytes', 'fileWithUri', 'artifactUpdate', 'statusUpdate'],
    ...['nextPageToken', 'pageSize', 'totalSize'],
  ].map((name) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name]),
);
/** Members whose content belongs to the agent's user and is left as it is. */
const FREE_FORM: ReadonlySet<string> = new Set(['metadata', 'data']);

/**
 * An answer with the member names A2A has, where a library has written them in snake_case (fasta2a
 * 0.5 does for a whole answer as soon as one part has a member it does not know). The answer itself is changed: it may have very
 * many members that A2A does not know, whose names stay.
 */
export function camelCased(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) {
    for (const item of json) camelCased(item);
    return json;
  }
  const members = json as Record<string, unknown>;
  for (const [from, to] of NAMES) {
    if (!Object.hasOwn(members, from)) continue;
    members[to] = members[from];
    delete members[from];
  }
  for (const name of Object.keys(members)) {
    if (!FREE_FORM.has(name)) camelCased(members[name]);
  }
  return members;
}
