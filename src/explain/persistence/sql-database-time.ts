import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { DatabaseTime } from '../health/database-time.js';

@Injectable()
export class SqlDatabaseTime extends DatabaseTime {
  constructor(private readonly database: Database) {
    super();
  }

  async now(): Promise<number | null> {
    if (this.database.dialect === 'sqlite') return null;
    const [row] = await this.database.read<{ now: number }>(
      'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint) AS now',
      [],
    );
    return Number(row!.now);
  }
}
