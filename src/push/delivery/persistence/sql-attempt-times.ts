import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { type AttemptTime, AttemptTimes } from '../../receivers/attempt-times.js';

interface TimeRow {
  readonly endpoint: string;
  readonly duration_ms: number;
  readonly rounded: number;
  readonly at: number;
}

/** {@link AttemptTimes} on the hub's database. */
@Injectable()
export class SqlAttemptTimes extends AttemptTimes {
  constructor(private readonly database: Database) {
    super();
  }

  async newest(limit: number): Promise<AttemptTime[]> {
    // By the index of the times, then each delivery by its id.
    const rows = await this.database.read<TimeRow>(
      `SELECT d.endpoint AS endpoint, a.duration_ms AS duration_ms, a.rounded AS rounded, a.at AS at FROM
         (SELECT delivery_id, duration_ms, rounded, at FROM push_attempts ORDER BY at DESC LIMIT ?) AS a
         JOIN push_deliveries d ON d.id = a.delivery_id ORDER BY a.at DESC`,
      [limit],
    );
    return rows.map(({ endpoint, duration_ms, rounded, at }) => ({
      endpoint,
      durationMs: duration_ms,
      isRounded: rounded === 1,
      at: new Date(Number(at)),
    }));
  }
}
