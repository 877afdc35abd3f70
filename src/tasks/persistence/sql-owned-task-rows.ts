import { Injectable } from '@nestjs/common';
import type { DataOwner, OwnedData } from '../../common/owned-data.js';
import { Database } from '../../database/database.js';
import { OwnedRows } from '../../database/owned-rows.js';
import { OwnedTaskRows } from '../store/owned-tasks.js';
import { DeletedLogEntity } from './deleted-log.entity.js';
import { deleteLogPiece } from './deleted-logs.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';
import { TaskUsageEntity } from './task-usage.entity.js';

/** {@link OwnedTaskRows} in the hub's database. */
@Injectable()
export class SqlOwnedTaskRows extends OwnedTaskRows {
  readonly kinds: readonly OwnedData[];

  constructor(database: Database) {
    super();
    this.kinds = [
      new DeletedLogs(database),
      new OwnedRows(database, {
        kind: 'idempotencyKeys',
        entity: IdempotencyKeyEntity,
        key: ['principal_id', 'key'],
        ofPrincipal: 'principal_id = ?',
        hidden: ['fingerprint'],
      }),
      new OwnedRows(database, {
        kind: 'usage',
        entity: TaskUsageEntity,
        key: ['organization', 'principal_id', 'shard'],
        ofOrganization: 'organization = ?',
        ofPrincipal: 'principal_id = ?',
      }),
    ];
  }
}

/** What is left of the large logs of tasks that are deleted. */
class DeletedLogs extends OwnedRows<DeletedLogEntity> {
  constructor(private readonly rows: Database) {
    super(rows, {
      kind: 'deletedLogs',
      entity: DeletedLogEntity,
      key: ['task_id'],
      ofOrganization: 'organization = ?',
      ofPrincipal: 'principal_id = ?',
    });
  }

  override async delete(owner: DataOwner): Promise<number> {
    const [column, name] =
      'organization' in owner
        ? ['organization', owner.organization]
        : ['principal_id', owner.principal];
    const isDeleted = await this.rows.write((tx) => deleteLogPiece(tx, `${column} = ?`, [name]));
    return isDeleted ? 1 : 0;
  }
}
