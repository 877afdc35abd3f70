import { idOfName } from '../../common/id-of-name.js';
import { ID } from '../../common/id-pattern.js';
import { RESERVED_AGENT_IDS } from '../agent.js';

const RESERVED: ReadonlySet<string> = new Set(RESERVED_AGENT_IDS);

/** What is said of another id. */
export const WRONG_ID = 'must be 1 to 63 of a-z, 0-9 and -, and not a reserved word';

/** Whether an agent may have this id. */
export function isAgentId(id: string): boolean {
  return ID.test(id) && !RESERVED.has(id);
}

/** The id of an agent by its card's name; see {@link idOfName}. A reserved word gets `agent-` before it. */
export function idFromName(name: string, isTaken: (id: string) => boolean): string {
  const baseOf = (slug: string): string => {
    if (slug === '') return 'agent';
    return RESERVED.has(slug) ? `agent-${slug}` : slug;
  };
  return idOfName(name, baseOf, isTaken);
}
