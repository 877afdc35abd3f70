import { describe, expect, it } from '@jest/globals';
import { Clock } from '../../common/clock.js';
import { PushRetention } from './push-retention.js';
import { type ExpiredPiece, PushRetentionStore } from './push-retention-store.js';

const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const DAY_MS = 86_400_000;

/** Full pieces first, then what is given. */
class CountingStore extends PushRetentionStore {
  readonly calls: string[] = [];
  fullPieces = 1;

  pruneDead(before: Date, limit: number): Promise<number> {
    this.calls.push(`prune ${before.getTime() / DAY_MS}`);
    return Promise.resolve(this.fullPieces-- > 0 ? limit : 0);
  }

  expireBacklog(before: Date, _now: Date, after: string): Promise<ExpiredPiece> {
    this.calls.push(`expire ${before.getTime() / DAY_MS}${after}`);
    if (this.calls.length === 1) return Promise.reject(new Error('away'));
    return Promise.resolve({ streams: 0, next: after === '' ? ' after a' : null });
  }

  expireHeld(before: Date, _now: Date, after: string): Promise<ExpiredPiece> {
    this.calls.push(`held ${before.getTime() / DAY_MS}${after}`);
    return Promise.resolve({ streams: 0, next: after === '' ? ' after b' : null });
  }
}

/** Stands still; the first sleep of each hour ends when the test says so. */
class HourClock extends Clock {
  hours = 0;
  wake = (): void => undefined;

  now(): Date {
    return new Date(100 * DAY_MS + this.hours * 3_600_000);
  }

  monotonicMs(): number {
    return this.hours * 3_600_000;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    expect(ms).toBe(3_600_000);
    return new Promise((resolve) => {
      this.wake = resolve;
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  async pass(): Promise<void> {
    this.hours += 1;
    this.wake();
    await pendingPromises();
  }
}

async function pendingPromises(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe('PushRetention', () => {
  async function started(
    deadLetterRetentionDays: number,
    verification: 'optional' | 'required' = 'required',
  ) {
    const [clock, store] = [new HourClock(), new CountingStore()];
    const settings = { deadLetterRetentionDays, backlogMaxAgeDays: 30, verification };
    const retention = new PushRetention(store, clock, SILENT, settings);
    retention.start();
    await pendingPromises();
    return { clock, store, retention };
  }

  it('looks every hour, goes on after an error, and takes all pieces', async () => {
    const { clock, store, retention } = await started(90);
    expect(store.calls).toEqual(['expire 70']);
    await clock.pass();
    const hour = 1 / 24;
    expect(store.calls.slice(1)).toEqual([
      `expire ${70 + hour}`,
      `expire ${70 + hour} after a`,
      `held ${70 + hour}`,
      `held ${70 + hour} after b`,
      `prune ${10 + hour}`,
      `prune ${10 + hour}`,
    ]);
    await retention.stop();
    await clock.pass();
    expect(store.calls).toHaveLength(7);
  });

  it('keeps dead letters for good when the setting says so', async () => {
    const { clock, store, retention } = await started(0);
    await clock.pass();
    await retention.stop();
    expect(store.calls).toEqual([
      'expire 70',
      `expire ${70 + 1 / 24}`,
      `expire ${70 + 1 / 24} after a`,
      `held ${70 + 1 / 24}`,
      `held ${70 + 1 / 24} after b`,
    ]);
  });

  it('leaves what waits for an allowance alone where receivers need not agree', async () => {
    const { clock, store, retention } = await started(0, 'optional');
    await clock.pass();
    await retention.stop();
    expect(store.calls.filter((call) => call.startsWith('held'))).toEqual([]);
  });
});
