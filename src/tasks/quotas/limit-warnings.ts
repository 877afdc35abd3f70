import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { evictOldest } from '../../common/evict-oldest.js';
import { Log } from '../../common/logger.js';
import { counterOf, nameOf } from '../../limits/index.js';
import { Metrics } from '../../observability/metrics.js';
import { LimitLevels } from '../store/limit-levels.js';
import { dayOf } from '../store/usage.js';

/** Limits that are remembered to have been warned of. */
const REMEMBERED = 10_000;

/** Tells operators of limits that are used up to four fifths: once a day each, in the log and as a number. */
@Injectable()
export class LimitWarnings implements OnModuleInit {
  /** The day of the last warning of each. */
  private readonly days = new Map<string, number>();

  constructor(
    private readonly limits: LimitLevels,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    const { limits, metrics, days, clock, log } = this;
    const warnings = metrics.counter(
      'limit_warnings_total',
      'Limits that were used up to four fifths, by limit; each once a day.',
      ['limit'],
    );
    limits.onWarned(({ limit, used }) => {
      const [key, today] = [counterOf(limit), dayOf(clock.now())];
      if (days.get(key) === today) return;
      evictOldest(days, REMEMBERED);
      days.set(key, today);
      const name = nameOf(limit);
      warnings.inc({ limit: name });
      const { subject, max } = limit;
      log.warn({ limit: name, subject, used, max }, 'a limit is used up to four fifths');
    });
  }
}
