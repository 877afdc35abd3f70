import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { type AttemptTime, AttemptTimes } from '../../receivers/attempt-times.js';

/** {@link AttemptTimes} on the hub's database. */
@Injectable()
export class SqlAttemptTimes extends AttemptTimes {
  constructor(private readonly database: Database) {
    super();
  }

  newest(limit: number): Promise<AttemptTime[]> {
    // By the index of the times, then each delivery by its id.
    return this.database.read<AttemptTime>(
      `SELECT d.endpoint AS "endpoint", a.duration_ms AS "durationMs" FROM
         (SELECT delivery_id, duration_ms, at FROM push_attempts ORDER BY at DESC LIMIT ?) AS a
         JOIN push_deliveries d ON d.id = a.delivery_id ORDER BY a.at DESC`,
      [limit],
    );
  }
}
