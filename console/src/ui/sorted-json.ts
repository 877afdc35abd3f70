/** A value as indented JSON with the members of objects in one order: the same text for the same value. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, sorted, 2) ?? '';
}

function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).sort(([one], [other]) => (one < other ? -1 : Number(one > other))),
  );
}
