import { describe, expect, it } from '@jest/globals';
import type { Log } from '../common/logger.js';
import { type Clock, SystemClock } from '../common/clock.js';
import { SystemIdSource } from '../common/ids.js';
import { TimedClock } from '../common/fake-timed-clock.js';
import { DataExport } from './data-export.js';
import type { DataJob } from './data-job.js';
import type { DataJobEnd, DataJobStore, ExportReading } from './data-job-store.js';
import type { OwnedKinds } from './owned-kinds.js';
import type { Receipts } from './receipts.js';

const JOB = { id: 'export-1', owner: { organization: 'acme' } } as DataJob;

function exportsWith(
  ends: DataJobEnd[],
  clock: Clock = new SystemClock(),
  isNoted: (until: number) => boolean = () => true,
  begun = (): void => undefined,
): DataExport {
  const ended = new Set<string>();
  const store = {
    // Rejects with what `isNoted` throws.
    note: async (_: unknown, __: unknown, until: Date) => isNoted(until.getTime()),
    begin: () => {
      begun();
      return Promise.resolve(true);
    },
    end: ({ reader }: ExportReading, end: DataJobEnd) => {
      if (!ended.has(reader)) ends.push(end);
      ended.add(reader);
      return Promise.resolve(true);
    },
  };
  return new DataExport(
    store as unknown as DataJobStore,
    { all: [] } as unknown as OwnedKinds,
    { sign: () => Promise.resolve('receipt') } as unknown as Receipts,
    clock,
    { warn: () => undefined } as unknown as Log,
    new SystemIdSource(),
  );
}

describe('an export that was opened', () => {
  it('has failed when none of its lines was asked for, and its place is free', async () => {
    const ends: DataJobEnd[] = [];
    const exports = exportsWith(ends);
    for (let round = 1; round <= 3; round++) {
      const open = await exports.open(JOB, new AbortController());
      open.left();
      expect(ends).toHaveLength(round);
      expect(ends.at(-1)).toMatchObject({
        state: 'failed',
        error: expect.stringContaining('read'),
      });
    }
  });

  it('is done when it was read to its end', async () => {
    const ends: DataJobEnd[] = [];
    const open = await exportsWith(ends).open(JOB, new AbortController());
    const text: string[] = [];
    for await (const block of open.lines) text.push(block.toString());
    open.left();
    expect(JSON.parse(text.join(''))).toMatchObject({ kind: 'end', receipt: 'receipt' });
    expect(ends).toMatchObject([{ state: 'done' }]);
  });

  it('leaves no place to more than two at once', async () => {
    const exports = exportsWith([]);
    const open = await exports.open(JOB, new AbortController());
    const second = await exports.open(JOB, new AbortController());
    await expect(exports.open(JOB, new AbortController())).rejects.toThrow(/as many exports/);
    open.left();
    const third = await exports.open(JOB, new AbortController());
    for (const each of [second, third]) each.left();
  });

  it('holds its lease while a reader takes nothing, and ends when it was canceled meanwhile', async () => {
    const clock = new TimedClock();
    const noted: number[] = [];
    const exports = exportsWith(
      [],
      clock,
      (until) => noted.push(until - clock.now().getTime()) < 3,
    );
    const ended = new AbortController();
    const open = await exports.open(JOB, ended);
    await clock.elapse(15_000);
    await clock.elapse(15_000);
    expect([noted, ended.signal.aborted]).toEqual([[60_000, 60_000], false]);
    await clock.elapse(15_000);
    expect(ended.signal.reason).toMatchObject({ reason: 'CONFLICT' });
    open.left();
    await clock.elapse(15_000);
    expect(noted).toHaveLength(3);
  });

  it('ends, and says that nothing could be stored, when its lease was over first', async () => {
    const clock = new TimedClock();
    const exports = exportsWith([], clock, () => {
      throw new Error('the database is away');
    });
    const ended = new AbortController();
    const open = await exports.open(JOB, ended);
    for (let ms = 0; ms < 60_000; ms += 15_000) await clock.elapse(15_000);
    expect(ended.signal.reason).toMatchObject({
      reason: 'UNAVAILABLE',
      message: expect.stringContaining('could not store'),
    });
    open.left();
  });

  it('is not read when to begin it took longer than its lease', async () => {
    const clock = new TimedClock();
    const slow = (): void => void (clock.ms += 60_000);
    const exports = exportsWith([], clock, undefined, slow);
    const ended = new AbortController();
    const open = await exports.open(JOB, ended);
    expect(ended.signal.reason).toMatchObject({ reason: 'UNAVAILABLE' });
    await expect(open.lines.next()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    open.left();
  });
});
