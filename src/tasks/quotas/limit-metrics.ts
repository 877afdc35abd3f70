import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { KeptValue } from '../../common/kept-value.js';
import { longTurn } from '../../common/long-work.js';
import { Metrics } from '../../observability/metrics.js';
import { LimitUsage } from './limit-usage.js';

/** All limits are looked at no more often than this, and what was found is shown no longer than that. */
const FRESH_MS = 60_000;
const KEPT_MS = 600_000;
/** Limits that are looked at. */
const MOST = 1000;
/** Limits that are read together. */
const AT_ONCE = 64;

type Near = Readonly<Record<'warned' | 'exceeded', number>>;

/** How many limits are near their end, as numbers: whose they are is in `GET /api/v1/usage/limits`. */
@Injectable()
export class LimitMetrics implements OnModuleInit {
  private readonly near: KeptValue<Near>;

  constructor(
    private readonly metrics: Metrics,
    private readonly usage: LimitUsage,
    clock: Clock,
  ) {
    const rules = { freshMs: FRESH_MS, keptMs: KEPT_MS, failureMs: 0 };
    this.near = new KeptValue({ read: () => this.count(), ...rules }, clock);
  }

  onModuleInit(): void {
    this.metrics.gauge(
      'limits_near_end',
      'Limits of the whole hub, of the first 1000, of which at least four fifths are used (warned), or all (exceeded).',
      ['state'],
      async (give) => {
        const { warned, exceeded } = await this.near.get();
        give({ state: 'warned' }, warned);
        give({ state: 'exceeded' }, exceeded);
      },
    );
  }

  private async count(): Promise<Near> {
    const near = { warned: 0, exceeded: 0 };
    const ids = this.usage.ids().slice(0, MOST);
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      await longTurn();
      const limits = await this.usage.of(ids.slice(start, start + AT_ONCE));
      for (const { state } of limits.flatMap(({ usage }) => usage)) {
        if (state !== 'ok') near[state] += 1;
      }
    }
    return near;
  }
}
