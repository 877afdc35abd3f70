const MAX_LENGTH = 63;

/**
 * An id made of a rule's name: lower case, everything but letters and digits a dash. The first of
 * `name`, `name-2`, `name-3` … that is free.
 */
export function ruleIdFrom(name: string, isTaken: (id: string) => boolean): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_LENGTH);
  const base = slug === '' ? 'rule' : slug;
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? '' : `-${count}`;
    const id = base.slice(0, MAX_LENGTH - suffix.length) + suffix;
    if (!isTaken(id)) return id;
  }
}
