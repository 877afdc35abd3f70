import type { ActivityKind } from '../activity/activity.js';

/** All of them, so that the primary key leads to the rows of an agent. */
const KINDS = Object.keys({
  tasks: true,
  errors: true,
  parts: true,
  calls: true,
  callTimes: true,
  conditions: true,
  deliveries: true,
} satisfies Record<ActivityKind, true>);

const OF_ALL_KINDS = `DELETE FROM activity WHERE span IN (1, 15)
    AND kind IN (${KINDS.map((kind) => `'${kind}'`).join(', ')})`;

/** Deletes what was counted of one organization. */
export const FORGET_ORGANIZATION = `${OF_ALL_KINDS} AND organization = ?`;

/** Deletes what was counted of the agents with these ids, a list or a query: whoever has such an id next is another one. */
export function forgetAgents(ids: string): string {
  return `${OF_ALL_KINDS} AND organization = '' AND agent_id IN (${ids})`;
}
