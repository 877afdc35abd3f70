import { Injectable } from '@nestjs/common';
import { PrincipalNames } from '../../audit/index.js';
import { isUuid } from '../../common/uuid.js';
import { Database } from '../../database/database.js';
import { listOf, pieces } from '../../database/multi-row.js';
import type { DatabaseRow } from '../../database/table.js';
import { storable } from '../../database/text.js';
import { PRINCIPAL } from './principal-writes.js';

/** The name of the oldest valid key of the principal `p`, which a further one does not change; {@link nameIn} reads it as `key_name`. */
export const KEY_NAME = `(SELECT k.name FROM api_keys k
    WHERE k.principal_id = p.id AND k.revoked_at IS NULL AND k.expired = 0
    ORDER BY k.id LIMIT 1)`;

/** {@link PrincipalNames} in the hub's database. */
@Injectable()
export class SqlPrincipalNames extends PrincipalNames {
  constructor(private readonly database: Database) {
    super();
  }

  async of(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const piece of pieces([...new Set(ids)].map(storable))) {
      const rows = await this.database.read<DatabaseRow & { id: string }>(
        `SELECT ${PRINCIPAL.namesOf('p')}, ${KEY_NAME} AS key_name FROM principals p
         WHERE p.id IN ${listOf(piece.length)}`,
        piece,
      );
      for (const row of rows) {
        const name = nameIn(row);
        if (name !== null) found.set(row.id, name);
      }
    }
    return found;
  }
}

/** An id that somebody has chosen says more than the name of a key. */
export function nameIn(row: DatabaseRow): string | null {
  const { id, displayName } = PRINCIPAL.read(row);
  return displayName ?? (isUuid(id) ? (row['key_name'] as string | null) : null);
}
