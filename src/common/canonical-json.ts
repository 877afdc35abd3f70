/**
 * JSON in its canonical form (RFC 8785): no white space, members in the order of their names' UTF-16 code
 * units, numbers and texts as ECMAScript writes them. Members that are undefined are left out; a Date is its text in ISO 8601.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (value instanceof Date) return JSON.stringify(value.toISOString());
  // Texts are joined as they come, as sends are measured by this: lists of them cost twice as much.
  let inside = '';
  if (Array.isArray(value)) {
    for (const item of value) inside += `${inside && ','}${canonicalJson(item)}`;
    return `[${inside}]`;
  }
  for (const name of sorted(Object.keys(value))) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (member === undefined) continue;
    inside += `${inside && ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${inside}}`;
}

/** From so many names on `sort` is quicker; for fewer it makes more garbage than it saves time. */
const MANY = 24;

/** Sorts in place, by UTF-16 code units. */
function sorted(names: string[]): string[] {
  if (names.length >= MANY) return names.sort();
  for (let i = 1; i < names.length; i += 1) {
    const name = names[i]!;
    let at = i;
    for (; at > 0 && names[at - 1]! > name; at -= 1) names[at] = names[at - 1]!;
    names[at] = name;
  }
  return names;
}
