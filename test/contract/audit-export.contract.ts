import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NotTaken } from '../../src/audit/export/export-store.js';
import type { AuditExport, ExportBatch } from '../../src/audit/export/audit-export.js';
import { AuditExports } from '../../src/audit/export/audit-exports.js';
import { ExportRun } from '../../src/audit/export/export-run.js';
import { ExportRefused } from '../../src/audit/export/http-answer.js';
import { SqlExportStore } from '../../src/audit/persistence/sql-export.store.js';
import { configWith } from '../../src/config/index.js';
import type { Metrics } from '../../src/observability/metrics.js';
import type { Collect } from '../../src/observability/reading.js';
import type { Database } from '../../src/database/database.js';
import { AuditProcess } from '../support/audit-process.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { FakeClock } from '../support/fake-clock.js';

const DAY = 86_400_000;
const SILENT = { warn() {}, info() {} };
const SIEM: AuditExport = {
  ...{ id: 'siem', type: 'webhook', url: 'https://siem.example/', from: 'start' },
  ...{ secret: null, authorization: null, ca: null, batchEntries: 4, timeoutMs: 1000 },
};

/** What exports of the audit log promise, whatever the receiver does. */
export function auditExportContract(open: () => Promise<Database>): void {
  let database: Database;
  let clock: FakeClock;
  let hub: AuditProcess;
  let store: SqlExportStore;
  /** What the receiver has acknowledged, in its order. */
  let got: string[];
  let refusal: Error | undefined;
  /** What it rejects of what it takes. */
  let rejected: NotTaken | undefined;
  /** How far the clock of those who send has been set back. */
  let backMs: number;
  let during: (batch: ExportBatch, signal: AbortSignal) => Promise<void> | void;

  const config = configWith({
    audit: {
      ...{ retentionDays: 10, exportGraceDays: 5 },
      export: [{ id: 'siem', type: 'webhook', url: 'https://siem.example/' }],
    },
  });

  beforeEach(async () => {
    database = await open();
    clock = new FakeClock();
    hub = new AuditProcess(database, clock, config);
    store = new SqlExportStore(database);
    got = [];
    backMs = 0;
    refusal = rejected = undefined;
    during = () => undefined;
  });

  const runOf = (owner: string, to: Partial<AuditExport> = {}, isSole = false): ExportRun =>
    new ExportRun(
      { ...SIEM, ...to },
      {
        send: async (batch, signal) => {
          await during(batch, signal);
          if (refusal !== undefined) throw refusal;
          got.push(...batch.events.map(({ chain, seq }) => `${chain} ${seq}`));
          return rejected;
        },
      },
      {
        exports: store,
        audit: hub.store,
        own: hub.log,
        clock: {
          now: () => new Date(clock.now().getTime() - backMs),
          monotonicMs: () => clock.monotonicMs(),
        },
        ids: { jitter: () => 0.5 },
        log: SILENT,
        owner,
        isSole,
      },
    );
  const run = (by: ExportRun): unknown => by.run(new AbortController().signal);
  const placesOf = (process: AuditProcess, from: number, to: number): string[] =>
    Array.from({ length: to - from + 1 }, (_, at) => `${process.log.head!.chain} ${from + at}`);

  it('sends each chain in its order, once, and goes on with what is written later', async () => {
    const other = new AuditProcess(database, clock, config);
    await hub.record(6);
    await other.record(5);
    await hub.record(3);
    const siem = runOf('p1');
    await run(siem);
    const of = (process: AuditProcess): string[] =>
      got.filter((place) => place.startsWith(process.log.head!.chain));
    expect(of(hub)).toEqual(placesOf(hub, 1, 9));
    expect(of(other)).toEqual(placesOf(other, 1, 5));
    await hub.record(2);
    await run(siem);
    expect(of(hub)).toEqual(placesOf(hub, 1, 11));
    expect(await store.state('siem')).toMatchObject({
      sent: 16,
      failures: 0,
      lastSentAt: clock.now(),
    });
    expect(await store.pending('siem')).toEqual([]);
  });

  it('is found in however many chains, of which a process alone looks at its own each time', async () => {
    const chains = Array.from({ length: 700 }, (_, n) => `before-${String(n).padStart(4, '0')}`);
    await hub.record(1);
    for (const chain of chains) {
      await hub.tamper(
        `INSERT INTO audit_events (chain, seq, id, at, action, outcome, details, previous_hash, hash)
           VALUES (?, 1, ?, 0, 'a', 'succeeded', '{}', '', '')`,
        [chain, chain],
      );
    }
    const found = await store.pending('siem');
    expect(found).toHaveLength(701);
    expect(found.map(({ first, last }) => last - first)).toEqual(Array(701).fill(0));
    const siem = runOf('p1', {}, true);
    await run(siem);
    expect(got).toHaveLength(701);
    const pending = store.pending.bind(store);
    let looks = 0;
    store.pending = (id) => ((looks += 1), pending(id));
    await hub.record(2);
    await run(siem);
    expect(got.slice(701)).toEqual(placesOf(hub, 2, 3));
    expect(looks).toBe(0);
    await hub.tamper('DELETE FROM audit_export_places WHERE chain = ?', [chains[7]!]);
    await clock.advance(60_000);
    await run(siem);
    expect(looks).toBeGreaterThan(0);
    expect(got.slice(703)).toEqual([`${chains[7]!} 1`]);
  });

  it('is counted for metrics once in a quarter of a minute, however often they are read', async () => {
    await hub.record(3);
    const gauges: (() => Promise<unknown>)[] = [];
    const values: number[] = [];
    const metrics = {
      gauge: (_name: string, _help: string, _labels: unknown, collect: Collect<'export'>) =>
        gauges.push(async () => collect((_, value) => void values.push(value), 'everybody')),
    };
    const exports = new AuditExports(config, store, clock, metrics as unknown as Metrics);
    exports.onModuleInit();
    const pending = store.pending.bind(store);
    let looks = 0;
    store.pending = (id) => ((looks += 1), pending(id));
    const read = async (): Promise<number[]> => {
      values.length = 0;
      for (const gauge of gauges) await gauge();
      return [...values];
    };
    expect(await read()).toEqual([3, 0, 0, 0]);
    await clock.advance(10_000);
    await hub.record(1);
    expect(await read()).toEqual([3, 10, 0, 0]);
    expect(looks).toBe(1);
    await clock.advance(5000);
    while ((await read())[0] === 3) await turn();
    expect(await read()).toEqual([4, 15, 0, 0]);
    expect(looks).toBe(2);
  });

  it('begins now, unless it is to begin at the start', async () => {
    await hub.record(5);
    const siem = runOf('p1', { from: 'now' });
    await run(siem);
    expect(got).toEqual([]);
    await hub.record(2);
    await run(siem);
    expect(got).toEqual(placesOf(hub, 6, 7));
  });

  it('sends again what was not acknowledged, after a pause that grows, and nothing is skipped', async () => {
    await hub.record(5);
    refusal = new ExportRefused(503, 0);
    const siem = runOf('p1');
    const first = Number(await run(siem));
    expect(first).toBeGreaterThanOrEqual(500);
    expect(first).toBeLessThanOrEqual(1000);
    expect(await store.state('siem')).toMatchObject({
      ...{ sent: 0, failures: 1, lastError: 'the receiver answered HTTP 503' },
      nextAttemptAt: new Date(clock.now().getTime() + first),
    });
    // Another process waits as well, even when the lease is over.
    expect(Number(await run(runOf('p2', {}, true)))).toBeLessThanOrEqual(first);
    await clock.advance(first);
    const second = Number(await run(siem));
    expect(second).toBeGreaterThanOrEqual(1000);
    await clock.advance(second);
    refusal = undefined;
    await run(siem);
    expect(got).toEqual(placesOf(hub, 1, 5));
    expect(await store.state('siem')).toMatchObject({ failures: 0, nextAttemptAt: null });
  });

  it('gives up a receiver that is silent, whatever memory is freed meanwhile', async () => {
    await hub.record(1);
    during = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        setTimeout(collectGarbage, 50);
      });
    await run(runOf('p1', { timeoutMs: 300 }));
    expect(await store.state('siem')).toMatchObject({
      lastError: 'the receiver did not acknowledge within 300 ms',
    });
  }, 10_000);

  it('waits as long as the receiver asks, within bounds', async () => {
    await hub.record(1);
    refusal = new ExportRefused(429, 20_000);
    expect(await run(runOf('p1'))).toBe(20_000);
    await clock.advance(20_000);
    refusal = new ExportRefused(429, 1e12);
    expect(await run(runOf('p1'))).toBe(300_000);
  });

  it('sends fewer at once to a receiver for which a request was too large', async () => {
    await hub.record(4);
    const sizes: number[] = [];
    during = ({ events }) => {
      sizes.push(events.length);
      refusal = events.length > 1 ? new ExportRefused(413, 0) : undefined;
    };
    const siem = runOf('p1');
    while (got.length < 4) await clock.advance(Number(await run(siem)));
    expect(sizes.slice(0, 3)).toEqual([4, 2, 1]);
    expect(got).toEqual(placesOf(hub, 1, 4));
  });

  it.each([400, 422])(
    'sets an entry aside that is answered with %d again and again, and sends the others',
    async (status) => {
      await hub.record(4);
      during = ({ first, last }) => {
        refusal = first <= 2 && last >= 2 ? new ExportRefused(status, 0) : undefined;
      };
      const siem = runOf('p1');
      while (got.length < 3) await clock.advance(Number(await run(siem)));
      expect(got).toEqual([...placesOf(hub, 1, 1), ...placesOf(hub, 3, 4)]);
      expect(await store.state('siem')).toMatchObject({
        ...{ sent: 3, missed: 0, failures: 0, setAside: 1 },
        lastSetAside: `${placesOf(hub, 2, 2)[0]}: the receiver answered HTTP ${status}`,
      });
      expect(await hub.verify()).toMatchObject({ valid: true, entries: 4 });
    },
  );

  it('counts what a receiver rejects of what it takes as set aside, and goes on', async () => {
    await hub.record(4);
    const siem = runOf('p1');
    rejected = { count: 3, why: 'the receiver rejected 3 of 4 entries' };
    await run(siem);
    const { chain } = hub.log.head!;
    const lastSetAside = `${chain} up to 4: the receiver rejected 3 of 4 entries`;
    expect(await store.state('siem')).toMatchObject({ sent: 1, setAside: 3, lastSetAside });
    rejected = undefined;
    await hub.record(2);
    await run(siem);
    expect(await store.state('siem')).toMatchObject({ sent: 3, setAside: 3, lastSetAside });
    expect(got).toEqual(placesOf(hub, 1, 6));
  });

  it('sets hardly anything aside for a receiver that refuses everything, and nothing for other answers', async () => {
    await hub.record(6);
    const siem = runOf('p1');
    const hour = async (status: number): Promise<void> => {
      refusal = new ExportRefused(status, 0);
      for (let passed = 0; passed < 3_600_000;) {
        const pauseMs = Number(await run(siem));
        passed += pauseMs;
        await clock.advance(pauseMs);
      }
    };
    for (const status of [401, 403, 404, 429, 503]) await hour(status);
    expect(await store.state('siem')).toMatchObject({ sent: 0, setAside: 0 });
    await hour(400);
    expect(Number((await store.state('siem'))!.setAside)).toBeLessThanOrEqual(4);
  });

  it('is sent by one process at a time; another goes on when the first has ended', async () => {
    await hub.record(9);
    const [first, second] = [runOf('p1'), runOf('p2')];
    let meanwhile: string[] | undefined;
    during = async () => {
      if (meanwhile !== undefined) return;
      meanwhile = [...got];
      await run(second);
      expect(got).toEqual(meanwhile);
    };
    await run(first);
    expect(meanwhile).toEqual([]);
    expect(got).toEqual(placesOf(hub, 1, 9));
    await hub.record(1);
    await run(second);
    expect(got).toHaveLength(9);
    await clock.advance(100_000);
    await run(second);
    expect(got).toEqual(placesOf(hub, 1, 10));
    await second.release();
    await hub.record(1);
    await run(first);
    expect(got).toEqual(placesOf(hub, 1, 11));
  });

  it('goes on in another process where the clock was set back far behind the lease', async () => {
    await hub.record(1);
    await run(runOf('p1'));
    await hub.record(1);
    const second = runOf('p2');
    await clock.advance(-30_000);
    await run(second);
    expect(got).toEqual(placesOf(hub, 1, 1));
    await clock.advance(-3_600_000);
    await run(second);
    expect(got).toEqual(placesOf(hub, 1, 2));
  });

  it('of a process that slept past its lease counts nothing any more', async () => {
    await hub.record(4);
    const [first, second] = [runOf('p1'), runOf('p2')];
    let isFirst = true;
    during = async () => {
      if (!isFirst) return;
      isFirst = false;
      await clock.advance(100_000);
      await run(second);
    };
    await run(first);
    // Twice: at least once is promised.
    expect(got).toEqual([...placesOf(hub, 1, 4), ...placesOf(hub, 1, 4)]);
    expect(await store.state('siem')).toMatchObject({ sent: 4 });
    await hub.record(1);
    await run(second);
    expect(got.slice(8)).toEqual(placesOf(hub, 5, 5));
  });

  it('is tried again after a clock was set back, by whichever process', async () => {
    await hub.record(1);
    refusal = new ExportRefused(503, 0);
    await run(runOf('p1'));
    refusal = undefined;
    backMs = DAY;
    await run(runOf('p2'));
    expect(got).toEqual(placesOf(hub, 1, 1));
    backMs = 2 * DAY;
    const third = runOf('p3');
    await hub.record(5);
    during = async () => {
      // Its lease is as long as it was, and it prolongs it.
      backMs += DAY;
      await clock.advance(60_000);
    };
    await run(third);
    expect(got).toEqual(placesOf(hub, 1, 6));
    expect(await store.state('siem')).toMatchObject({ sent: 6, failures: 0 });
  });

  it('passes over an entry that cannot be read, and sends the others', async () => {
    await hub.record(3);
    await hub.tamper(`UPDATE audit_events SET details = '{' WHERE seq = 2`);
    await run(runOf('p1'));
    expect(got).toEqual([...placesOf(hub, 1, 1), ...placesOf(hub, 3, 3)]);
  });

  describe('retention', () => {
    const left = async (): Promise<number> =>
      (await hub.store.chainRows(hub.log.head!.chain, 0, 1000)).length;

    it('waits for what is not exported, then deletes it and says so', async () => {
      await hub.record(6);
      const siem = runOf('p1', { batchEntries: 2 });
      during = ({ first }) => {
        if (first > 2) refusal = new ExportRefused(503, 0);
      };
      await run(siem);
      expect(got).toHaveLength(2);
      await clock.advance(11 * DAY);
      await hub.retention.run();
      // Two are deleted; the entry that says so is new.
      expect(await left()).toBe(5);
      await clock.advance(5 * DAY);
      await hub.retention.run();
      expect(await store.state('siem')).toMatchObject({ sent: 2, missed: 4 });
      const { items } = await hub.reader.list({ resourceType: 'audit.exports' }, 10);
      expect(items).toMatchObject([
        {
          ...{ action: 'audit.export', outcome: 'failed', resourceId: 'siem' },
          details: { by: 'retention', count: 4 },
        },
      ]);
      expect(await hub.verify()).toMatchObject({ valid: true });
      refusal = undefined;
      during = () => undefined;
      await run(siem);
      expect(await store.pending('siem')).toEqual([]);
      expect(got[2]).toBe(`${hub.log.head!.chain} 7`);
    });

    it('does not wait for an export that is not configured now; it misses what is deleted', async () => {
      await hub.record(6);
      const siem = runOf('p1', { batchEntries: 2 });
      during = ({ first }) => {
        if (first > 2) refusal = new ExportRefused(503, 0);
      };
      await run(siem);
      await clock.advance(11 * DAY);
      const without = configWith({ audit: { retentionDays: 10 } });
      const next = new AuditProcess(database, clock, without);
      await next.retention.run();
      expect(await left()).toBe(0);
      await next.record(1);
      // It is there again.
      [refusal, during] = [undefined, () => undefined];
      await run(runOf('p2'));
      expect(await store.state('siem')).toMatchObject({ sent: 4, missed: 4 });
      expect(got.slice(2)).toEqual(placesOf(next, 1, 2));
      const { items } = await next.reader.list({ resourceType: 'audit.exports' }, 10);
      expect(items).toEqual([]);
      const places = await database.read<{ chain: string }>(
        'SELECT chain FROM audit_export_places',
      );
      expect(places.map(({ chain }) => chain)).toEqual([next.log.head!.chain]);
    });

    it('deletes what is exported as if there were no exports, and forgets chains that are gone', async () => {
      await hub.record(3);
      await run(runOf('p1'));
      await clock.advance(11 * DAY);
      const next = new AuditProcess(database, clock, config);
      await next.retention.run();
      expect(await left()).toBe(0);
      expect(
        await database.read('SELECT chain FROM audit_export_places WHERE chain = ?', [
          hub.log.head!.chain,
        ]),
      ).toEqual([]);
    });
  });
}
