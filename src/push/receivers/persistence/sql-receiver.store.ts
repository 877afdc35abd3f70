import { Injectable } from '@nestjs/common';
import { forUpdate, toDate } from '../../../database/rows.js';
import { Database } from '../../../database/database.js';
import type { Tx, Work } from '../../../database/sql.js';
import { Table } from '../../../database/table.js';
import { afterSending, freeAt, NOTHING_USED, type Used } from '../domain/allowance.js';
import {
  type Admission,
  type Wait,
  REACH_WINDOW_MS,
  type ReceiverLimits,
  ReceiverStore,
  type Sending,
} from '../receiver-store.js';
import { PushReceiverEntity, PushSenderEntity } from './receiver.entity.js';

/** How often a receiver is asked by itself, and how long it is left alone where it must agree. */
const CHALLENGE_EVERY_MS = { optional: 60 * 60_000, required: 5 * 60_000 } as const;
/** Nothing waits longer without another look: a clock may have been set back. */
const LONGEST_WAIT_MS = 5 * 60_000;
/** A reach is written anew after so long, so that a busy receiver's is not written each time. */
const REACH_GRAIN_MS = 60_000;

const USED = ['requestsAt', 'bytesAt', 'updatedAt'] as const;
const RECEIVER = new Table(PushReceiverEntity).select('verifiedAt', 'challengedAt', ...USED);
const SENDER = new Table(PushSenderEntity).select(...USED);
type UsedRow = ReturnType<typeof SENDER.read>;
type ReceiverRow = ReturnType<typeof RECEIVER.read>;

type StoredWait = Omit<Wait, 'needsChallenge' | 'until'> & { readonly until: number };

/** {@link ReceiverStore} on the hub's database. */
@Injectable()
export class SqlReceiverStore extends ReceiverStore {
  constructor(private readonly database: Database) {
    super();
  }

  async verifiedAt(endpoint: string): Promise<Date | null> {
    const [row] = await RECEIVER.list(this.database, 'WHERE endpoint = ?', [endpoint]);
    return toDate(row?.verifiedAt ?? null);
  }

  async mayBeSent(
    { endpoint, principalId }: Sending,
    limits: ReceiverLimits,
    now: Date,
  ): Promise<boolean> {
    const [row] = await this.database.read<Record<string, number | null>>(
      `SELECT (SELECT verified_at FROM push_receivers WHERE endpoint = ?) AS verified,
         (SELECT requests_at FROM push_receivers WHERE endpoint = ?) AS requests,
         (SELECT bytes_at FROM push_receivers WHERE endpoint = ?) AS bytes,
         (SELECT updated_at FROM push_receivers WHERE endpoint = ?) AS updated,
         (SELECT requests_at FROM push_senders WHERE principal_id = ?) AS own_requests,
         (SELECT bytes_at FROM push_senders WHERE principal_id = ?) AS own_bytes,
         (SELECT updated_at FROM push_senders WHERE principal_id = ?) AS own_updated`,
      [...Array<string>(4).fill(endpoint), ...Array<string>(3).fill(principalId)],
    );
    if (row?.['verified'] != null) return true;
    if (limits.mode === 'required') return false;
    const at = now.getTime();
    const used = (of: '' | 'own_'): Used => {
      const read = (name: string): number => row?.[`${of}${name}`] ?? 0;
      const stored = {
        requestsAt: read('requests'),
        bytesAt: read('bytes'),
        updatedAt: read('updated'),
      };
      return usedOf(stored, at);
    };
    return freeAt(used(''), limits.receiver) <= at && freeAt(used('own_'), limits.principal) <= at;
  }

  admit(
    sending: Sending,
    bytes: number,
    limits: ReceiverLimits,
    now: Date,
    mayChallenge: boolean,
  ): Promise<Admission> {
    // A power failure that takes the count takes the requests of that moment as well.
    return this.database.write(
      (tx) => admit(tx, sending, bytes, limits, now, mayChallenge),
      'may-be-lost',
    );
  }

  async verify(endpoint: string, now: Date): Promise<void> {
    const at = now.getTime();
    await this.database.write(function* (tx) {
      yield* tx.run(
        `INSERT INTO push_receivers (endpoint, verified_at, challenged_at, requests_at, bytes_at,
           updated_at) VALUES (?, ?, ?, 0, 0, ?)
         ON CONFLICT (endpoint) DO UPDATE SET verified_at = excluded.verified_at,
           held_until = NULL, held_reason = NULL, updated_at = excluded.updated_at`,
        [endpoint, at, at, at],
      );
      // Those that were held back for it are looked at now; a breaker that failures opened stays.
      yield* tx.run(
        `UPDATE push_endpoints SET probe_at = ?,
           ready_at = CASE WHEN ready_at IS NULL THEN NULL ELSE CAST(? AS bigint) END
         WHERE endpoint = ? AND probe_at > ? AND probe_until IS NULL AND failures = 0`,
        [at, at, endpoint, at],
      );
    });
  }

  beginChallenge(endpoint: string, pauseMs: number, now: Date): Promise<boolean> {
    const at = now.getTime();
    return this.database.write(function* (tx): Work<boolean> {
      const row = yield* receiverRow(tx, endpoint, at);
      if (isRecent(row.challengedAt, pauseMs, at)) return false;
      yield* challenged(tx, endpoint, at);
      return true;
    });
  }

  async takeBackChallenge(endpoint: string, at: Date): Promise<void> {
    await this.database.write((tx) =>
      tx.run(
        'UPDATE push_receivers SET challenged_at = NULL WHERE endpoint = ? AND challenged_at = ?',
        [endpoint, at.getTime()],
      ),
    );
  }
}

function* admit(
  tx: Tx,
  { endpoint, principalId }: Sending,
  bytes: number,
  limits: ReceiverLimits,
  now: Date,
  mayChallenge: boolean,
): Work<Admission> {
  const at = now.getTime();
  const receiver = yield* receiverRow(tx, endpoint, at);
  if (receiver.verifiedAt !== null) return 'verified';
  const sender = yield* senderRow(tx, principalId, at);
  const wait =
    receiverWait(receiver, limits, at) ??
    senderWait(sender, limits, at) ??
    (yield* reachWait(tx, endpoint, principalId, limits, at));
  if (wait === undefined) {
    const ofReceiver = afterSending(usedOf(receiver, at), limits.receiver, bytes, at);
    const ofSender = afterSending(usedOf(sender, at), limits.principal, bytes, at);
    yield* tx.run(
      `UPDATE push_receivers SET requests_at = ?, bytes_at = ?, held_until = NULL,
         held_reason = NULL, updated_at = ? WHERE endpoint = ?`,
      [ofReceiver.requestsAt, ofReceiver.bytesAt, at, endpoint],
    );
    yield* tx.run(
      `UPDATE push_senders SET requests_at = ?, bytes_at = ?, held_until = NULL,
         held_reason = NULL, updated_at = ? WHERE principal_id = ?`,
      [ofSender.requestsAt, ofSender.bytesAt, at, principalId],
    );
    return 'admitted';
  }
  const until = Math.min(wait.until, at + LONGEST_WAIT_MS);
  const [table, key, id] =
    wait.of === 'receiver'
      ? ['push_receivers', 'endpoint', endpoint]
      : ['push_senders', 'principal_id', principalId];
  yield* tx.run(
    `UPDATE ${table} SET held_until = ?, held_reason = ?, updated_at = ? WHERE ${key} = ?`,
    [until, wait.reason, at, id],
  );
  const pauseMs = CHALLENGE_EVERY_MS[limits.mode === 'required' ? 'required' : 'optional'];
  const needsChallenge = mayChallenge && !isRecent(receiver.challengedAt, pauseMs, at);
  if (needsChallenge) yield* challenged(tx, endpoint, at);
  return { of: wait.of, reason: wait.reason, until: new Date(until), needsChallenge };
}

function receiverWait(
  row: ReceiverRow,
  limits: ReceiverLimits,
  at: number,
): StoredWait | undefined {
  if (limits.mode === 'required') {
    const reason = 'the receiver has not agreed to be called (push.verification is required)';
    return { of: 'receiver', reason, until: at + CHALLENGE_EVERY_MS.required };
  }
  const until = freeAt(usedOf(row, at), limits.receiver);
  if (until <= at) return undefined;
  const reason = 'the receiver has not agreed to be called and has had what it may get in a minute';
  return { of: 'receiver', reason, until };
}

function senderWait(row: UsedRow, limits: ReceiverLimits, at: number): StoredWait | undefined {
  const until = freeAt(usedOf(row, at), limits.principal);
  if (until <= at) return undefined;
  const reason =
    'the principal has sent what it may send in a minute to receivers that have not agreed';
  return { of: 'principal', reason, until };
}

/** Notes the receiver among those of the principal, unless it has reached as many as it may. */
function* reachWait(
  tx: Tx,
  endpoint: string,
  principalId: string,
  { receiversPerPrincipal }: ReceiverLimits,
  at: number,
): Work<StoredWait | undefined> {
  const since = at - REACH_WINDOW_MS;
  // Noted at a time that is to come: the clock was set back, and nothing should wait for it.
  const latest = at + REACH_GRAIN_MS;
  const rows = yield* tx.all<{ endpoint: string; at: number }>(
    'SELECT endpoint, at FROM push_reaches WHERE principal_id = ? AND at > ? AND at <= ? ORDER BY at',
    [principalId, since, latest],
  );
  const known = rows.find((row) => row.endpoint === endpoint);
  if (known && known.at > at - REACH_GRAIN_MS) return undefined;
  if (!known && rows.length >= receiversPerPrincipal) {
    const reason = `the principal has reached ${receiversPerPrincipal} receivers that have not agreed in ten minutes`;
    return { of: 'principal', reason, until: rows[0]!.at + REACH_WINDOW_MS };
  }
  yield* tx.run('DELETE FROM push_reaches WHERE principal_id = ? AND (at <= ? OR at > ?)', [
    principalId,
    since,
    latest,
  ]);
  yield* tx.run(
    `INSERT INTO push_reaches (principal_id, endpoint, at) VALUES (?, ?, ?)
     ON CONFLICT (principal_id, endpoint) DO UPDATE SET at = excluded.at`,
    [principalId, endpoint, at],
  );
  return undefined;
}

/** The row, locked; made when there is none. */
function* receiverRow(tx: Tx, endpoint: string, at: number): Work<ReceiverRow> {
  yield* tx.run(
    `INSERT INTO push_receivers (endpoint, requests_at, bytes_at, updated_at) VALUES (?, 0, 0, ?)
     ON CONFLICT (endpoint) DO NOTHING`,
    [endpoint, at],
  );
  const [row] = yield* RECEIVER.all(tx, `WHERE endpoint = ?${forUpdate(tx)}`, [endpoint]);
  return row!;
}

function* senderRow(tx: Tx, principalId: string, at: number): Work<UsedRow> {
  yield* tx.run(
    `INSERT INTO push_senders (principal_id, requests_at, bytes_at, updated_at)
     VALUES (?, 0, 0, ?) ON CONFLICT (principal_id) DO NOTHING`,
    [principalId, at],
  );
  const [row] = yield* SENDER.all(tx, `WHERE principal_id = ?${forUpdate(tx)}`, [principalId]);
  return row!;
}

function* challenged(tx: Tx, endpoint: string, at: number): Work<void> {
  yield* tx.run('UPDATE push_receivers SET challenged_at = ? WHERE endpoint = ?', [at, endpoint]);
}

function usedOf(row: Used & { readonly updatedAt: number }, at: number): Used {
  // Written at a time that is to come: the clock was set back, and nothing should wait for it.
  if (row.updatedAt > at + REACH_GRAIN_MS) return NOTHING_USED;
  return { requestsAt: row.requestsAt, bytesAt: row.bytesAt };
}

/** Also a time that is to come counts, within that pause: a clock was set back. */
function isRecent(at: number | null, pauseMs: number, now: number): boolean {
  return at !== null && Math.abs(now - at) < pauseMs;
}
