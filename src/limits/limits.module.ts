import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { CounterRetention } from './counter-retention.js';
import { DeclaredLimits } from './declared-limits.js';
import { LimitCounters } from './limit-counters.js';
import { LimitData } from './limit-data.js';
import { SqlLimitData } from './persistence/sql-limit-data.js';
import { LimitRegistry } from './limit-registry.js';
import { LimitStore } from './limit-store.js';
import { LimitsController } from './limits.controller.js';
import { LimitsService } from './limits.service.js';
import { SqlLimitCounters } from './persistence/sql-limit-counters.js';
import { SqlLimitStore } from './persistence/sql-limit.store.js';

@Module({
  imports: [AuthModule],
  controllers: [LimitsController],
  providers: [
    { provide: LimitStore, useClass: SqlLimitStore },
    { provide: LimitData, useClass: SqlLimitData },
    { provide: LimitCounters, useClass: SqlLimitCounters },
    LimitRegistry,
    LimitsService,
    DeclaredLimits,
    CounterRetention,
  ],
  exports: [LimitCounters, LimitData, LimitRegistry],
})
export class LimitsModule {}
