import { describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import { SystemIdSource } from '../../common/ids.js';
import { DeliveryCleanup } from './delivery-cleanup.js';
import { DeliveryWorker } from './delivery.worker.js';
import { StreamRunner } from './stream-runner.js';
import { type DeliveryStream, DeliveryStreamStore } from './delivery-stream-store.js';
import { PushWakeup } from './push-wakeup.js';

const quiet = () => undefined;
const SILENT = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const SETTINGS = { timeoutMs: 1000, maxConcurrent: 5, maxPerEndpoint: 5 };
const ANY_PROCESS = { soleProcess: false };
const IDS = Object.assign(new SystemIdSource(), { next: () => 'w' });

/** Sleeps end by their signal alone. */
class StillClock extends SettableClock {
  readonly slept: number[] = [];

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.slept.push(ms);
    return new Promise((resolve) => {
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

const pendingPromises = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('DeliveryWorker', () => {
  it('claims while cleanup is at work, and never a stream it still runs', async () => {
    const clock = new StillClock(0);
    const wakeup = new PushWakeup();
    const excepted: (readonly string[] | undefined)[] = [];
    const streams = Object.assign(
      Object.create(DeliveryStreamStore.prototype) as DeliveryStreamStore,
      {
        nextDueAt: (now: Date, later?: string) => Promise.resolve(later ? null : now),
        claim: (...[, , , , except]: Parameters<DeliveryStreamStore['claim']>) => {
          excepted.push(except);
          return Promise.resolve(excepted.length === 1 ? [{ id: 'l1' } as DeliveryStream] : []);
        },
      },
    );
    let end = (): void => undefined;
    const runner = Object.assign(Object.create(StreamRunner.prototype) as StreamRunner, {
      run: () => new Promise<void>((resolve) => (end = resolve)),
    });
    let finish = (): void => undefined;
    const cleanup = Object.assign(Object.create(DeliveryCleanup.prototype) as DeliveryCleanup, {
      run: () => new Promise<boolean>((resolve) => (finish = () => resolve(false))),
    });
    const worker = new DeliveryWorker(
      IDS,
      streams,
      runner,
      cleanup,
      wakeup,
      clock,
      SILENT,
      SETTINGS,
      ANY_PROCESS,
    );
    await worker.start();
    await pendingPromises();
    expect(excepted).toEqual([[], []]);
    clock.ms = 2000;
    wakeup.notify();
    await pendingPromises();
    expect(excepted.at(-1)).toEqual(['l1']);
    clock.ms = -1;
    wakeup.notify();
    await pendingPromises();
    expect(excepted.at(-1)).toEqual(['l1']);
    finish();
    end();
    await worker.stop();
  });

  it('rests until what is due next, while what is due already waits for its endpoint', async () => {
    const clock = new StillClock(0);
    const streams = Object.assign(
      Object.create(DeliveryStreamStore.prototype) as DeliveryStreamStore,
      {
        nextDueAt: (now: Date, later?: string) => Promise.resolve(later ? new Date(300) : now),
        claim: () => Promise.resolve([]),
      },
    );
    const cleanup = Object.assign(Object.create(DeliveryCleanup.prototype) as DeliveryCleanup, {
      run: () => Promise.resolve(false),
    });
    const runner = Object.create(StreamRunner.prototype) as StreamRunner;
    const wakeup = new PushWakeup();
    const worker = new DeliveryWorker(
      IDS,
      streams,
      runner,
      cleanup,
      wakeup,
      clock,
      SILENT,
      SETTINGS,
      ANY_PROCESS,
    );
    await worker.start();
    await pendingPromises();
    expect(clock.slept).toEqual([300]);
    await worker.stop();
  });
});
