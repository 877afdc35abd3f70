import { describe, expect, it } from '@jest/globals';
import type { Log } from '../common/logger.js';
import { SystemClock } from '../common/clock.js';
import { DataExport } from './data-export.js';
import type { DataJob } from './data-job.js';
import type { DataJobEnd, DataJobStore } from './data-job-store.js';
import type { OwnedKinds } from './owned-kinds.js';
import type { Receipts } from './receipts.js';

const JOB = { id: 'export-1', owner: { organization: 'acme' } } as DataJob;

function exportsWith(ends: DataJobEnd[]): DataExport {
  const store = {
    begin: () => Promise.resolve(true),
    end: (_: string, end: DataJobEnd) => Promise.resolve(ends.push(end) > 0),
  };
  return new DataExport(
    store as unknown as DataJobStore,
    { all: [] } as unknown as OwnedKinds,
    { sign: () => Promise.resolve('receipt') } as unknown as Receipts,
    new SystemClock(),
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
    await exports.open(JOB, new AbortController());
    await expect(exports.open(JOB, new AbortController())).rejects.toThrow(/as many exports/);
    open.left();
    await exports.open(JOB, new AbortController());
  });
});
