import type { Tx, Work } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import { TaskState } from '../../protocol/a2a.js';
import { isTerminal } from '../../protocol/task-state.js';
import type { PreparedAppend } from '../task-store.js';
import type { NewTask } from '../task.js';
import type { Outcomes } from './append-outcomes.js';

interface HeldRow {
  task_id: string;
  fingerprint: string;
  expires_at: number | null;
  /** Null when the task is gone. */
  state: number | null;
}

/**
 * Takes the idempotency keys of new tasks; those whose key belongs to another task leave the batch as
 * `duplicate`. A key without an expiry holds until its task ends.
 */
export function* takeKeys(
  tx: Tx,
  creates: readonly PreparedAppend[],
  outcomes: Outcomes,
): Work<PreparedAppend[]> {
  const keyed = creates
    .filter(({ create }) => create?.task.idempotency)
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  for (const append of keyed) yield* takeKey(tx, append, outcomes);
  return creates.filter((append) => !outcomes.has(append));
}

/** One order for everybody, so that two processes never wait for each other's keys. */
function orderOf({ record, create }: PreparedAppend): string {
  return `${record.principalId}\n${create?.task.idempotency?.key}`;
}

function* takeKey(tx: Tx, append: PreparedAppend, outcomes: Outcomes): Work<void> {
  const { principalId, createdAt } = append.record;
  const wanted = append.create?.task.idempotency as NonNullable<NewTask['idempotency']>;
  const key = storable(wanted.key);
  const expiresAt = wanted.expiresAt?.getTime() ?? null;
  const taken = yield* tx.run(
    `INSERT INTO idempotency_keys (principal_id, key, task_id, fingerprint, expires_at)
     VALUES (?, ?, ?, ?, ?) ON CONFLICT (principal_id, key) DO NOTHING`,
    [principalId, key, append.taskId, wanted.fingerprint, expiresAt],
  );
  if (taken === 1) return;

  const held = yield* holder(tx, principalId, key);
  if (held !== undefined && holds(held, createdAt)) {
    const sameRequest = held.fingerprint === wanted.fingerprint;
    outcomes.set(append, { kind: 'duplicate', taskId: held.task_id, sameRequest });
    return;
  }
  yield* tx.run(
    `UPDATE idempotency_keys SET task_id = ?, fingerprint = ?, expires_at = ?
     WHERE principal_id = ? AND key = ?`,
    [append.taskId, wanted.fingerprint, expiresAt, principalId, key],
  );
}

function* holder(tx: Tx, principalId: string, key: string): Work<HeldRow | undefined> {
  const lock = tx.dialect === 'postgres' ? ' FOR UPDATE OF k' : '';
  const [row] = yield* tx.all<HeldRow>(
    `SELECT k.task_id, k.fingerprint, k.expires_at, t.state
     FROM idempotency_keys k LEFT JOIN tasks t ON t.id = k.task_id
     WHERE k.principal_id = ? AND k.key = ?${lock}`,
    [principalId, key],
  );
  return row;
}

/** A task of this very batch is not there yet: it counts as open. */
function holds(row: HeldRow, now: Date): boolean {
  if (row.expires_at !== null) return row.expires_at > now.getTime();
  return row.state === null || !isTerminal(row.state);
}

const TERMINAL_STATES = `(${[
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
].join(', ')})`;

/** See `TaskStore.forgetKeys`. */
export function* forgetKeys(tx: Tx, now: Date, limit: number): Work<number> {
  return yield* tx.run(
    `DELETE FROM idempotency_keys WHERE (principal_id, key) IN (
       SELECT k.principal_id, k.key FROM idempotency_keys k LEFT JOIN tasks t ON t.id = k.task_id
       WHERE k.expires_at < ? OR (k.expires_at IS NULL AND t.state IN ${TERMINAL_STATES}) LIMIT ?)`,
    [now.getTime(), limit],
  );
}
