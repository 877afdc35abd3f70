import { describe, expect, it } from '@jest/globals';
import { FakeAuditLog } from '../audit/fake-audit-log.js';
import type { Log } from '../common/logger.js';
import { SettableClock } from '../common/fake-settable-clock.js';
import { SystemIdSource } from '../common/ids.js';
import type { AppConfig } from '../config/index.js';
import type { Database } from '../database/database.js';
import type { DataDeletion } from './data-deletion.js';
import type { DataJob } from './data-job.js';
import type { DataJobStore } from './data-job-store.js';
import { DeletionWorker } from './deletion.worker.js';
import type { Receipts } from './receipts.js';

describe('a deletion that cannot go on', () => {
  it('is tried again later, and the next one does not wait for it', async () => {
    const clock = new SettableClock();
    const begun = clock.now().getTime();
    const freeFrom = new Map([
      ['first', 0],
      ['second', 0],
    ]);
    const postponed: unknown[] = [];
    let ended: (id: string) => void = () => undefined;
    const isEnded = new Promise<string>((resolve) => (ended = resolve));
    const store = {
      claim: (_: string, now: Date, until: Date) => {
        const [id] = [...freeFrom].find(([, from]) => from <= now.getTime()) ?? [];
        if (id !== undefined) freeFrom.set(id, until.getTime());
        return Promise.resolve(id && ({ id, progress: {} } as DataJob));
      },
      postpone: (id: string, _: string, __: unknown, until: Date, why: string) => {
        freeFrom.set(id, until.getTime());
        postponed.push([id, until.getTime() - begun, why]);
        return Promise.resolve();
      },
      renew: () => Promise.resolve(true),
      // oxlint-disable-next-line require-yield -- its store needs no database
      *endIn(_: unknown, id: string) {
        freeFrom.delete(id);
        ended(id);
        return true;
      },
    };
    const deletion = {
      run: ({ id }: DataJob) =>
        id === 'first' ? Promise.reject(new Error('no')) : Promise.resolve(new Map()),
    };
    const said: string[] = [];
    const log = { info: () => undefined, warn: (_: unknown, text: string) => void said.push(text) };
    const audit = new FakeAuditLog();
    const worker = new DeletionWorker(
      store as unknown as DataJobStore,
      deletion as unknown as DataDeletion,
      { sign: () => Promise.resolve('receipt') } as unknown as Receipts,
      audit,
      { soleProcess: false } as Database,
      clock,
      log as unknown as Log,
      { role: 'all' } as AppConfig,
      new SystemIdSource(),
    );
    await worker.onApplicationBootstrap();
    expect(await isEnded).toBe('second');
    await worker.onModuleDestroy();
    expect(postponed).toEqual([['first', 30_000, expect.stringContaining('tried again')]]);
    expect(audit.entries).toMatchObject([
      { action: 'data.deletions.end', resource: { id: 'second' } },
    ]);
    expect(said).toEqual(['a deletion of data could not go on; it is tried again']);
  });
});
