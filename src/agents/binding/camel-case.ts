/** Members whose content belongs to the agent's user and is left as it is. */
const FREE_FORM: ReadonlySet<string> = new Set(['metadata', 'data']);

/**
 * An answer with the member names A2A has, where a library has written them in snake_case (fasta2a
 * 0.5 does for a whole answer as soon as one part has a member it does not know).
 */
export function camelCased(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(camelCased);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).map(([name, value]) => {
    const member = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return [member, FREE_FORM.has(name) ? (value as unknown) : camelCased(value)] as const;
  });
  return Object.fromEntries(entries);
}
