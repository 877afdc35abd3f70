import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { TIME } from '../../database/dialect.js';
import { DatabaseTime } from '../health/database-time.js';

@Injectable()
export class SqlDatabaseTime extends DatabaseTime {
  constructor(private readonly database: Database) {
    super();
  }

  async now(): Promise<number | null> {
    const { dialect } = this.database;
    if (dialect === 'sqlite') return null;
    const [row] = await this.database.read<{ now: number }>(`SELECT ${TIME[dialect]} AS now`, []);
    return Number(row!.now);
  }
}
