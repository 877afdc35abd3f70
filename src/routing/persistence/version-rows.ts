import type { Page } from '../../common/page.js';
import type { Database } from '../../database/database.js';
import type { Selection } from '../../database/table.js';

/** The rows of a table of versions, by `id` and `version`. */
export class VersionRows<Row extends { readonly version: number }> {
  constructor(private readonly selection: Selection<Row>) {}

  async one(database: Database, id: string, version: number): Promise<Row | undefined> {
    const found = 'WHERE id = ? AND version = ?';
    return (await this.selection.list(database, found, [id, version]))[0];
  }

  /** The newest first, older than `cursor`. */
  async page(
    database: Database,
    id: string,
    limit: number,
    cursor: string | undefined,
  ): Promise<Page<Row>> {
    const older = cursor === undefined ? '' : 'AND version < ?';
    const rows = await this.selection.list(
      database,
      `WHERE id = ? ${older} ORDER BY version DESC LIMIT ?`,
      [id, ...(cursor === undefined ? [] : [Number(cursor)]), limit + 1],
    );
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return { items, nextCursor: rows.length > limit && last ? String(last.version) : null };
  }
}
