const MAX_LENGTH = 63;

/**
 * An id made of a name: lower case, everything but letters and digits a dash (`CSV profiler` gives
 * `csv-profiler`). `baseOf` may replace what that gives, which is empty where the name has neither. The first of
 * `name`, `name-2`, `name-3` … that is free.
 */
export function idOfName(
  name: string,
  baseOf: (slug: string) => string,
  isTaken: (id: string) => boolean,
): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_LENGTH);
  const base = baseOf(slug);
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? '' : `-${count}`;
    const id = base.slice(0, MAX_LENGTH - suffix.length) + suffix;
    if (!isTaken(id)) return id;
  }
}
