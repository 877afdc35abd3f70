/**
 * JSON in its canonical form (RFC 8785): no white space, members in the order of their names' UTF-16 code
 * units, numbers and texts as ECMAScript writes them. Members that are undefined are left out.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  // Texts are joined as they come, as sends are measured by this: lists of them cost twice as much.
  let inside = '';
  if (Array.isArray(value)) {
    for (const item of value) inside += `${inside && ','}${canonicalJson(item)}`;
    return `[${inside}]`;
  }
  for (const name of Object.keys(value).sort()) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (member === undefined) continue;
    inside += `${inside && ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${inside}}`;
}
