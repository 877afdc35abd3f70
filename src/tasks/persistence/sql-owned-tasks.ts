import { Injectable } from '@nestjs/common';
import type { DataOwner } from '../../common/owned-data.js';
import { Database } from '../../database/database.js';
import type { SqlValue } from '../../database/sql.js';
import { TERMINAL_STATES } from '../../protocol/task-state.js';
import { type OwnedTask, OwnedTasks } from '../store/owned-tasks.js';

const ENDED = `(${TERMINAL_STATES.join(', ')})`;

interface Row {
  readonly id: string;
  readonly organization: string;
  readonly state: number;
  readonly status_at: number;
}

/** {@link OwnedTasks} in the hub's database, in the order of an index. */
@Injectable()
export class SqlOwnedTasks extends OwnedTasks {
  constructor(private readonly database: Database) {
    super();
  }

  async some(
    owner: DataOwner,
    which: 'open' | 'ended',
    limit: number,
    after?: OwnedTask,
  ): Promise<readonly OwnedTask[]> {
    const isOrganization = 'organization' in owner;
    const order = `${isOrganization ? '' : 'organization, '}state, status_at, id`;
    const from: SqlValue[] = [];
    if (after !== undefined) {
      if (!isOrganization) from.push(after.organization);
      from.push(after.state, after.statusAt, after.id);
    }
    const rows = await this.database.read<Row>(
      `SELECT id, organization, state, status_at FROM tasks
       WHERE ${isOrganization ? 'organization' : 'principal_id'} = ?
         AND state ${which === 'ended' ? 'IN' : 'NOT IN'} ${ENDED}
         ${from.length === 0 ? '' : `AND (${order}) > (${from.map(() => '?').join(', ')})`}
       ORDER BY ${order} LIMIT ?`,
      [isOrganization ? owner.organization : owner.principal, ...from, limit],
    );
    return rows.map(({ status_at: statusAt, ...row }) => ({ ...row, statusAt }));
  }
}
