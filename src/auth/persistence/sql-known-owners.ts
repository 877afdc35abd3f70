import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { listOf } from '../../database/multi-row.js';
import { storable } from '../../database/text.js';
import { KnownOwners } from '../known-owners.js';
import { ADMIN_PRINCIPAL, DEFAULT_ORGANIZATION } from '../principal.js';

/** Ids that are asked for at once. */
const AT_ONCE = 500;

/** {@link KnownOwners} in the hub's database. */
@Injectable()
export class SqlKnownOwners extends KnownOwners {
  constructor(private readonly database: Database) {
    super();
  }

  principals(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.among('principals', ids, ADMIN_PRINCIPAL);
  }

  organizations(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.among('organizations', ids, DEFAULT_ORGANIZATION);
  }

  private async among(
    table: 'principals' | 'organizations',
    ids: readonly string[],
    builtIn: string,
  ): Promise<ReadonlySet<string>> {
    const known = new Set([builtIn]);
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const some = ids.slice(from, from + AT_ONCE).map((id) => storable(id));
      const rows = await this.database.read<{ id: string }>(
        `SELECT id FROM ${table} WHERE id IN ${listOf(some.length)}`,
        some,
      );
      for (const { id } of rows) known.add(id);
    }
    return known;
  }
}
