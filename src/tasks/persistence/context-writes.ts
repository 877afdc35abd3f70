import type { Tx, Work } from '../../database/sql.js';
import { Table } from '../../database/table.js';
import { storable } from '../../database/text.js';
import { createsTask, type PreparedAppend } from '../store/prepared-append.js';
import { ContextEntity } from './context.entity.js';

/**
 * The contexts of new tasks: each is used now, and its next message goes to the same agents. When
 * another agent takes over in the newest task of a context, it goes to that one. Every context once, in
 * one order for all, so that two processes never wait for each other.
 */
export function* touchContexts(tx: Tx, appends: readonly PreparedAppend[]): Work<void> {
  const creates = newestOf(appends.filter(createsTask));
  const moves = keyed(appends.filter((append) => !createsTask(append) && append.agents !== null));
  if (moves.length === 0) return yield* use(tx, creates);
  // Seldom, so one by one: the order matters more.
  for (const [key, append] of [...creates, ...moves].sort(byKey)) {
    if (createsTask(append)) yield* use(tx, [[key, append]]);
    else yield* move(tx, append);
  }
}

const CONTEXTS = new Table(ContextEntity);

type Keyed = readonly [key: string, append: PreparedAppend];

/** Of each context the last append, in the order of the contexts. */
function newestOf(appends: readonly PreparedAppend[]): Keyed[] {
  return [...new Map(keyed(appends))].sort(byKey);
}

function keyed(appends: readonly PreparedAppend[]): Keyed[] {
  return appends.map((append) => {
    const { contextId, principalId } = append.record;
    return [`${storable(contextId)}\n${principalId}`, append];
  });
}

function byKey([a]: Keyed, [b]: Keyed): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const UPSERT = CONTEXTS.insert(
  `ON CONFLICT (id, principal_id)
   DO UPDATE SET affinity = excluded.affinity, last_used_at = excluded.last_used_at`,
);

function* use(tx: Tx, creates: readonly Keyed[]): Work<void> {
  const rows = creates.map(([, { record, delegations }]) => ({
    id: record.contextId,
    principalId: record.principalId,
    organization: record.organization,
    affinity: delegations.map(({ delegation }) => delegation.agentId),
    lastUsedAt: record.createdAt,
  }));
  yield* UPSERT.apply(tx, rows);
}

/** Nothing when a newer task has used the context since. */
function* move(tx: Tx, { record, agents }: PreparedAppend): Work<void> {
  yield* tx.run(
    'UPDATE contexts SET affinity = ? WHERE id = ? AND principal_id = ? AND last_used_at = ?',
    [
      JSON.stringify(agents),
      storable(record.contextId),
      record.principalId,
      record.createdAt.getTime(),
    ],
  );
}
