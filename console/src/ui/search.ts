/** These members of what an address has after `?`, as texts; those that are empty or anything else are left out. */
export function textsOf<Name extends string>(
  search: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): { [Each in Name]?: string } {
  const texts: { [Each in Name]?: string } = {};
  for (const name of names) {
    const value = search[name];
    // `?task=12` is read as a number.
    if (typeof value === 'string' && value !== '') texts[name] = value;
    if (typeof value === 'number' || typeof value === 'boolean') texts[name] = String(value);
  }
  return texts;
}

/** Without the members that are undefined or empty. */
export function present<T extends object>(value: T): T {
  return Object.fromEntries(
    Object.entries(value).filter(([, each]) => each !== undefined && each !== ''),
  ) as T;
}

/**
 * What `read` makes of an address, and nothing beside it: of what a route does not name the router would give the page what stands
 * there.
 */
export function only<Search extends object>(
  read: (search: Record<string, unknown>) => Search,
): (search: Record<string, unknown>) => Search {
  return (search) => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    ...read(search),
  });
}
