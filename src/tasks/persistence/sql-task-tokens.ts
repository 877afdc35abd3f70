import { Injectable } from '@nestjs/common';
import { SubjectToken } from '../../auth/index.js';
import { Clock, DAY_MS } from '../../common/clock.js';
import { SecretBox } from '../../common/secret-box.js';
import { Database } from '../../database/database.js';
import { listOf, pieces } from '../../database/multi-row.js';
import type { Tx, Work } from '../../database/sql.js';
import { Table } from '../../database/table.js';
import { TERMINAL_STATES } from '../../protocol/task-state.js';
import type { EnlistedWork } from '../store/prepared-append.js';
import { TaskTokens } from '../store/task-tokens.js';
import { TaskTokenEntity } from './task-token.entity.js';

const TOKENS = new Table(TaskTokenEntity);
const TOKEN = TOKENS.select();
const UPSERT = TOKENS.upsert();
/** How long one is kept whose issuer does not say when it expires. */
const KEPT_MS = DAY_MS;
/** An agent is still to be called for the task: it gets a cancel. */
const IS_CANCELED = `EXISTS (SELECT 1 FROM delegations d
  WHERE d.task_id = task_tokens.task_id AND d.cancel_pending = 1)`;
const NEEDED_NO_MORE = `SELECT task_tokens.task_id FROM task_tokens
  LEFT JOIN tasks t ON t.id = task_tokens.task_id
  WHERE task_tokens.expires_at <= ? OR t.id IS NULL
    OR (t.state IN (${TERMINAL_STATES.join(', ')}) AND NOT ${IS_CANCELED})
  ORDER BY task_tokens.task_id LIMIT ?`;

/** {@link TaskTokens} in the hub's database. */
@Injectable()
export class SqlTaskTokens extends TaskTokens {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
  ) {
    super();
  }

  keeping(token: SubjectToken): EnlistedWork {
    const expiresAt = token.expiresAt ?? new Date(this.clock.now().getTime() + KEPT_MS);
    const kept = {
      issuerId: token.issuerId,
      expiresAt,
      sealedToken: this.secrets.seal(token.reveal()),
    };
    return function* (tx, taskId): Work<void> {
      yield* UPSERT.one(tx, { taskId, ...kept });
    };
  }

  async of(taskId: string): Promise<SubjectToken | undefined> {
    const now = this.clock.now().getTime();
    const [row] = await TOKEN.list(this.database, 'WHERE task_id = ? AND expires_at > ?', [
      taskId,
      now,
    ]);
    if (row === undefined) return undefined;
    const { issuerId, expiresAt, sealedToken } = row;
    return new SubjectToken(this.secrets.open(sealedToken), issuerId, expiresAt);
  }

  async forget(limit: number): Promise<number> {
    const params = [this.clock.now().getTime(), limit];
    // What is due is looked for first, so that nothing due costs no write.
    const due = await this.database.read(NEEDED_NO_MORE, params);
    if (due.length === 0) return 0;
    return this.database.write((tx) =>
      tx.run(`DELETE FROM task_tokens WHERE task_id IN (${NEEDED_NO_MORE})`, params),
    );
  }
}

/** In the commit in which these tasks end; those stay whose agents are still to be called. */
export function* dropTokens(tx: Tx, taskIds: readonly string[]): Work<void> {
  for (const piece of pieces(taskIds)) {
    yield* tx.run(
      `DELETE FROM task_tokens WHERE task_id IN ${listOf(piece.length)} AND NOT ${IS_CANCELED}`,
      piece,
    );
  }
}
