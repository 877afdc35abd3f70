import { ID } from '../../common/id-pattern.js';
import { RESERVED_AGENT_IDS } from '../agent.js';

const MAX_LENGTH = 63;
const RESERVED: ReadonlySet<string> = new Set(RESERVED_AGENT_IDS);

/** What is said of another id. */
export const WRONG_ID = 'must be 1 to 63 of a-z, 0-9 and -, and not a reserved word';

/** Whether an agent may have this id. */
export function isAgentId(id: string): boolean {
  return ID.test(id) && !RESERVED.has(id);
}

/**
 * An id made of a card's name: lower case, everything but letters and digits a dash (`CSV profiler`
 * gives `csv-profiler`). The first of `name`, `name-2`, `name-3` … that is free.
 */
export function idFromName(name: string, isTaken: (id: string) => boolean): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_LENGTH);
  const base = slug === '' || RESERVED.has(slug) ? `agent${slug === '' ? '' : `-${slug}`}` : slug;
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? '' : `-${count}`;
    const id = base.slice(0, MAX_LENGTH - suffix.length) + suffix;
    if (!isTaken(id)) return id;
  }
}
