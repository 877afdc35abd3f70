import { Module } from '@nestjs/common';
import { AuthModule, Belongings } from '../auth/index.js';
import { Database } from '../database/database.js';
import { PoliciesModule } from '../policies/index.js';
import { CounterRetention } from './counter-retention.js';
import { DeclaredLimits } from './declared-limits.js';
import { LimitCounters } from './limit-counters.js';
import { LimitData } from './limit-data.js';
import { forgetCounters, hasLimits } from './persistence/limits-of.js';
import { SqlLimitData } from './persistence/sql-limit-data.js';
import { LimitRegistry } from './limit-registry.js';
import { LimitStore } from './limit-store.js';
import { LimitSubjects } from './limit-subjects.js';
import { LimitsController } from './limits.controller.js';
import { LimitsService } from './limits.service.js';
import { PriceRegistry } from './price-registry.js';
import { RateStore } from './rate-store.js';
import { RequestRates } from './request-rates.js';
import { SqlRateStore } from './persistence/sql-rate.store.js';
import { Spending } from './spending.js';
import { SqlSpending } from './persistence/sql-spending.js';
import { SqlLimitCounters } from './persistence/sql-limit-counters.js';
import { SqlLimitStore } from './persistence/sql-limit.store.js';
import { logOf } from '../common/module-logs.js';

@Module({
  imports: [AuthModule, PoliciesModule],
  controllers: [LimitsController],
  providers: [
    logOf('limits'),
    { provide: LimitStore, useClass: SqlLimitStore },
    { provide: LimitData, useClass: SqlLimitData },
    { provide: LimitCounters, useClass: SqlLimitCounters },
    { provide: Spending, useClass: SqlSpending },
    {
      provide: RateStore,
      useFactory: (database: Database) => new SqlRateStore(database),
      inject: [Database],
    },
    RequestRates,
    LimitRegistry,
    LimitSubjects,
    PriceRegistry,
    LimitsService,
    DeclaredLimits,
    CounterRetention,
  ],
  exports: [LimitCounters, LimitData, LimitRegistry, PriceRegistry, RequestRates, Spending],
})
export class LimitsModule {
  constructor(belongings: Belongings) {
    for (const owner of ['principal', 'organization'] as const) {
      belongings.add(owner, 'limits', hasLimits(owner));
      belongings.addRecords(owner, forgetCounters(owner));
    }
    // What a principal has cost stays in the account of its organization.
    belongings.addRecords('organization', 'DELETE FROM spending WHERE organization = ?');
  }
}
