import { describe, expect, it } from '@jest/globals';
import type { Log } from '../common/logger.js';
import { type Clock, SystemClock } from '../common/clock.js';
import { SettableClock } from '../common/settable-clock.js';
import { DataExport } from './data-export.js';
import type { DataJob } from './data-job.js';
import type { DataJobEnd, DataJobStore } from './data-job-store.js';
import type { OwnedKinds } from './owned-kinds.js';
import type { Receipts } from './receipts.js';

const JOB = { id: 'export-1', owner: { organization: 'acme' } } as DataJob;

/** Has one timer at a time, which elapses when it is told to. */
class TimedClock extends SettableClock {
  private call: () => void = () => undefined;

  override after(_: number, call: () => void): () => void {
    this.call = call;
    return () => (this.call = () => undefined);
  }

  async elapse(): Promise<void> {
    this.call();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function exportsWith(
  ends: DataJobEnd[],
  clock: Clock = new SystemClock(),
  isNoted: (until: number) => boolean = () => true,
): DataExport {
  const store = {
    note: (_: string, __: unknown, until: Date) => Promise.resolve(isNoted(until.getTime())),
    begin: () => Promise.resolve(true),
    end: (_: string, end: DataJobEnd) => Promise.resolve(ends.push(end) > 0),
  };
  return new DataExport(
    store as unknown as DataJobStore,
    { all: [] } as unknown as OwnedKinds,
    { sign: () => Promise.resolve('receipt') } as unknown as Receipts,
    clock,
    { warn: () => undefined } as unknown as Log,
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
    await clock.elapse();
    await clock.elapse();
    expect([noted, ended.signal.aborted]).toEqual([[60_000, 60_000], false]);
    await clock.elapse();
    expect(ended.signal.reason).toMatchObject({ reason: 'CONFLICT' });
    open.left();
    await clock.elapse();
    expect(noted).toHaveLength(3);
  });
});
