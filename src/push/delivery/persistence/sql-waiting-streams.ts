import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { pieces, typedRows } from '../../../database/multi-row.js';
import { COUNT_LIMIT, WaitingStreams } from '../../receivers/waiting-streams.js';

/** {@link WaitingStreams} on the hub's database. */
@Injectable()
export class SqlWaitingStreams extends WaitingStreams {
  constructor(private readonly database: Database) {
    super();
  }

  async countFor(endpoints: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const piece of pieces(endpoints)) {
      const rows = await this.database.read<{ endpoint: string; waiting: number }>(
        `WITH wanted (endpoint) AS (VALUES ${typedRows(piece.length, ['text'])})
         SELECT endpoint, (SELECT COUNT(*) FROM (SELECT 1 FROM push_delivery_streams s
             WHERE s.endpoint = wanted.endpoint AND s.due_at IS NOT NULL LIMIT ${COUNT_LIMIT})
           AS counted) AS waiting FROM wanted`,
        piece,
      );
      for (const { endpoint, waiting } of rows) counts.set(endpoint, waiting);
    }
    return counts;
  }
}
