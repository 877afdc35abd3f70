import type { Database } from '../../database/database.js';
import type { Tx, Work } from '../../database/sql.js';
import { forUpdate } from '../../database/rows.js';
import { Table } from '../../database/table.js';
import { storable } from '../../database/text.js';
import { isTerminal, TERMINAL_STATES } from '../../protocol/task-state.js';
import type { AppendOutcome, PreparedAppend } from '../store/prepared-append.js';
import type { KeyCursor, KeyHolder } from '../store/task-store.js';
import type { IdempotencyKey } from '../task.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';
import type { Outcomes } from './append-outcomes.js';

interface HeldRow {
  task_id: string;
  fingerprint: string;
  expires_at: number | null;
  /** Null when the task is gone. */
  state: number | null;
}

/** A key that an append asks for. */
interface WantedKey {
  readonly append: PreparedAppend;
  readonly key: IdempotencyKey;
}

/** A key that an append holds from now on. */
interface TakenKey {
  readonly append: PreparedAppend;
  readonly key: string;
}

/**
 * Takes the idempotency keys of a batch; `free` are the appends without those that leave it as
 * `duplicate`, because one of their keys is held already. A key without an expiry holds until its
 * task ends.
 */
export function* takeKeys(
  tx: Tx,
  batch: readonly PreparedAppend[],
  outcomes: Outcomes,
): Work<{ free: readonly PreparedAppend[]; taken: TakenKey[] }> {
  if (batch.every(({ keys }) => keys.length === 0)) return { free: batch, taken: [] };
  const wanted = batch
    .flatMap((append) => append.keys.map((key) => ({ append, key })))
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  if (yield* takeAll(tx, wanted)) return { free: batch, taken: wanted.map(takenKey) };
  const taken: TakenKey[] = [];
  for (const { append, key } of wanted) {
    if (outcomes.has(append)) continue;
    const duplicate = yield* takeKey(tx, append, key, batch);
    if (duplicate === null) taken.push(takenKey({ append, key }));
    else outcomes.set(append, duplicate);
  }
  return { free: batch.filter((each) => !outcomes.has(each)), taken };
}

const INSERT_KEYS = new Table(IdempotencyKeyEntity).insert(
  'ON CONFLICT (principal_id, key) DO NOTHING RETURNING principal_id, key',
);

interface InsertedRow {
  readonly principal_id: string;
  readonly key: string;
}

/** Takes all of these keys, as is nearly always possible; none of them when one is there already. */
function* takeAll(tx: Tx, wanted: readonly WantedKey[]): Work<boolean> {
  const inserted = yield* INSERT_KEYS.apply<IdempotencyKeyEntity, never, InsertedRow>(
    tx,
    wanted.map(rowOf),
  );
  if (inserted.length === wanted.length) return true;
  for (const { principal_id, key } of inserted) yield* deleteKey(tx, principal_id, key);
  return false;
}

function rowOf({ append: { taskId, record }, key }: WantedKey): IdempotencyKeyEntity {
  return {
    principalId: record.principalId,
    key: storable(key.key),
    taskId,
    fingerprint: key.fingerprint,
    expiresAt: key.expiresAt?.getTime() ?? null,
  };
}

function takenKey({ append, key }: WantedKey): TakenKey {
  return { append, key: storable(key.key) };
}

function* deleteKey(tx: Tx, principalId: string, key: string): Work<void> {
  yield* tx.run('DELETE FROM idempotency_keys WHERE principal_id = ? AND key = ?', [
    principalId,
    key,
  ]);
}

/** Gives keys back whose append is not part of the commit after all. */
export function* releaseKeys(tx: Tx, taken: readonly TakenKey[]): Work<void> {
  for (const { append, key } of taken) yield* deleteKey(tx, append.record.principalId, key);
}

/**
 * Gives up the keys that hold until their task ends, of the tasks that end with these appends. Not on PostgreSQL, where
 * another batch may wait for one of them with a lock that this one waits for: there the cleanup does it.
 */
export function* releaseEnded(tx: Tx, appends: readonly PreparedAppend[]): Work<void> {
  if (tx.dialect === 'postgres') return;
  for (const { taskId, record, endedKeys } of appends) {
    for (const key of endedKeys) {
      yield* tx.run(
        'DELETE FROM idempotency_keys WHERE principal_id = ? AND key = ? AND task_id = ?',
        [record.principalId, storable(key), taskId],
      );
    }
  }
}

/** One order for all, so that two processes never wait for each other's keys. */
function orderOf({ append, key }: WantedKey): string {
  return `${append.record.principalId}\n${key.key}`;
}

/** Null when the key is the append's now, else how the append ends. */
function* takeKey(
  tx: Tx,
  append: PreparedAppend,
  wanted: IdempotencyKey,
  batch: readonly PreparedAppend[],
): Work<AppendOutcome | null> {
  const { principalId, updatedAt } = append.record;
  const { key, expiresAt } = rowOf({ append, key: wanted });
  if (yield* takeAll(tx, [{ append, key: wanted }])) return null;

  const held = yield* holder(tx, principalId, key);
  // A task of this very batch is not there yet.
  const exists = (id: string): boolean => batch.some(({ taskId }) => taskId === id);
  if (held !== undefined && holds(held, updatedAt, exists)) {
    const sameRequest = held.fingerprint === wanted.fingerprint;
    return { kind: 'duplicate', taskId: held.task_id, sameRequest };
  }
  const moved = yield* tx.run(
    `UPDATE idempotency_keys SET task_id = ?, fingerprint = ?, expires_at = ?
     WHERE principal_id = ? AND key = ?`,
    [append.taskId, wanted.fingerprint, expiresAt, principalId, key],
  );
  // Another process has deleted it since: it is free.
  return moved === 1 ? null : yield* takeKey(tx, append, wanted, batch);
}

/** See `TaskStore.keyHolder`. */
export async function keyHolder(
  database: Database,
  principalId: string,
  key: string,
  now: Date,
): Promise<KeyHolder | undefined> {
  const [row] = await database.read<HeldRow>(HOLDER, [principalId, storable(key)]);
  if (row === undefined || !holds(row, now, () => false)) return undefined;
  return { taskId: row.task_id, fingerprint: row.fingerprint };
}

const HOLDER = `SELECT k.task_id, k.fingerprint, k.expires_at, t.state
  FROM idempotency_keys k LEFT JOIN tasks t ON t.id = k.task_id
  WHERE k.principal_id = ? AND k.key = ?`;

function* holder(tx: Tx, principalId: string, key: string): Work<HeldRow | undefined> {
  const [row] = yield* tx.all<HeldRow>(`${HOLDER}${forUpdate(tx, false, 'k')}`, [principalId, key]);
  return row;
}

/** The key of a task that was deleted holds no more. */
function holds(row: HeldRow, now: Date, exists: (taskId: string) => boolean): boolean {
  if (row.state === null && !exists(row.task_id)) return false;
  if (row.expires_at !== null) return row.expires_at > now.getTime();
  return row.state === null || !isTerminal(row.state);
}

const ENDED = `(${TERMINAL_STATES.join(', ')})`;

/**
 * See `TaskStore.forgetKeys`. Each key is looked at once, in the order of the table, so that a piece takes as long whatever
 * there is. A key that has a time is kept until then, also when its task is deleted: to look for the tasks of all keys
 * would read a page of the disk for each, and such a key holds no more anyway.
 */
export function* forgetKeys(
  tx: Tx,
  now: Date,
  limit: number,
  after: KeyCursor | null,
): Work<KeyCursor | null> {
  const from = [after?.principalId ?? '', after?.key ?? ''];
  const [last] = yield* tx.all<{ principal_id: string; key: string }>(
    `SELECT principal_id, key FROM idempotency_keys WHERE (principal_id, key) > (?, ?)
     ORDER BY principal_id, key LIMIT 1 OFFSET ?`,
    [...from, limit - 1],
  );
  const upTo = last === undefined ? [] : [last.principal_id, last.key];
  yield* tx.run(
    `DELETE FROM idempotency_keys WHERE (principal_id, key) > (?, ?)
       ${last === undefined ? '' : 'AND (principal_id, key) <= (?, ?)'}
       AND (expires_at < ? OR expires_at IS NULL AND NOT EXISTS (SELECT 1 FROM tasks t
         WHERE t.id = idempotency_keys.task_id AND t.state NOT IN ${ENDED}))`,
    [...from, ...upTo, now.getTime()],
  );
  return last === undefined ? null : { principalId: last.principal_id, key: last.key };
}
