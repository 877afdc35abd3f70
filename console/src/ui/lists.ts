/** Words between commas, blanks or lines as a list. */
export function listOf(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** What stands between commas, which may have blanks in it. */
export function betweenCommas(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

export function textOfList(list: readonly string[] | null | undefined): string {
  return (list ?? []).join(', ');
}

/** `3 webhooks`, `1 webhook`; a plural that is not formed by an s is given. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** Members of a list by what they have in common, in the order in which each first comes. */
export function groupedBy<T>(
  list: readonly T[],
  common: (member: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const member of list) {
    const key = common(member);
    const group = groups.get(key);
    if (group) group.push(member);
    else groups.set(key, [member]);
  }
  return groups;
}
