import { Injectable } from '@nestjs/common';
import type { DataOwner } from '../../common/owned-data.js';
import { Database } from '../../database/database.js';
import type { SqlValue } from '../../database/sql.js';
import { isTerminal, TASK_STATES } from '../../protocol/task-state.js';
import { type OwnedTask, OwnedTasks } from '../store/owned-tasks.js';

/** In the order of the index. */
const STATES = [...TASK_STATES].sort((a, b) => a - b);
const IN_STATES = {
  open: STATES.filter((state) => !isTerminal(state)),
  ended: STATES.filter(isTerminal),
} as const;

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
    const found: OwnedTask[] = [];
    for await (const organization of this.organizations(owner, after)) {
      for (const state of IN_STATES[which]) {
        const seen = after?.organization === organization ? after : undefined;
        if (seen !== undefined && seen.state > Number(state)) continue;
        const from = seen?.state === Number(state) ? seen : undefined;
        const of = { ...owner, organization, state };
        found.push(...(await this.page(of, limit - found.length, from)));
        if (found.length === limit) return found;
      }
    }
    return found;
  }

  /** Of one state: all of it stands together in an index. */
  private async page(
    of: { readonly organization: string; readonly principal?: string; readonly state: number },
    limit: number,
    after: OwnedTask | undefined,
  ): Promise<OwnedTask[]> {
    const params: SqlValue[] = [of.organization, of.state];
    let where = 'organization = ? AND state = ?';
    if (of.principal !== undefined) {
      where += ' AND principal_id = ?';
      params.push(of.principal);
    }
    if (after !== undefined) {
      where += ' AND (status_at, id) > (?, ?)';
      params.push(after.statusAt, after.id);
    }
    const rows = await this.database.read<Row>(
      `SELECT id, organization, state, status_at FROM tasks
       WHERE ${where} ORDER BY status_at, id LIMIT ?`,
      [...params, limit],
    );
    return rows.map(({ status_at: statusAt, ...row }) => ({ ...row, statusAt }));
  }

  /** Those in which the owner has tasks: a principal may have been in several. */
  private async *organizations(
    owner: DataOwner,
    from: OwnedTask | undefined,
  ): AsyncGenerator<string> {
    if ('organization' in owner) {
      yield owner.organization;
      return;
    }
    let last = from?.organization;
    if (last !== undefined) yield last;
    for (;;) {
      const [next] = await this.database.read<{ organization: string | null }>(
        `SELECT MIN(organization) AS organization FROM tasks
         WHERE principal_id = ?${last === undefined ? '' : ' AND organization > ?'}`,
        last === undefined ? [owner.principal] : [owner.principal, last],
      );
      if (!next?.organization) return;
      yield (last = next.organization);
    }
  }
}
