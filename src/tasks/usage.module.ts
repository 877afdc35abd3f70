import { Global, Module } from '@nestjs/common';
import { IdSource } from '../common/ids.js';
import { Database } from '../database/database.js';
import { SqlUsageStore } from './persistence/sql-usage.store.js';
import { UsageStore } from './usage/usage-store.js';

/** Counts usage in the database, for the tasks and for what belongs to them. */
@Global()
@Module({
  providers: [
    {
      provide: UsageStore,
      inject: [Database, IdSource],
      useFactory: (database: Database, ids: IdSource) => new SqlUsageStore(database, ids.jitter()),
    },
  ],
  exports: [UsageStore],
})
export class UsageModule {}
