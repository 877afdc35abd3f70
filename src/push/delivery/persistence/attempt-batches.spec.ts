import { describe, expect, it } from '@jest/globals';
import type { Database } from '../../../database/database.js';
import { CommitUnknown } from '../../../database/commit-unknown.js';
import { AttemptBatches } from './attempt-batches.js';
import type { AttemptOutcome } from './record-delivered.js';

const OUTCOME = {} as AttemptOutcome;

/** Fails each write with this, and counts them. */
function failing(error: Error): { database: Database; writes: () => number } {
  let writes = 0;
  const write = async (): Promise<never> => {
    writes += 1;
    await new Promise((resolve) => setImmediate(resolve));
    throw error;
  };
  return { database: { dialect: 'sqlite', write } as unknown as Database, writes: () => writes };
}

async function errorsOf(database: Database, count: number): Promise<unknown[]> {
  const outcomes = new AttemptBatches(database, () => {
    throw new Error('no statement is made');
  });
  const all = Array.from({ length: count }, () => outcomes.record(OUTCOME));
  const ended = await Promise.allSettled(all);
  return ended.map((each) => (each.status === 'rejected' ? each.reason : each.value));
}

describe('AttemptBatches', () => {
  it('tries each alone that failed with others', async () => {
    const { database, writes } = failing(new Error('disk full'));
    expect(await errorsOf(database, 130)).toEqual(Array(130).fill(new Error('disk full')));
    expect(writes()).toBe(3 + 130);
  });

  it('says of all that nobody knows whether they were recorded', async () => {
    const unknown = new CommitUnknown(new Error('the disk is gone'));
    const { database, writes } = failing(unknown);
    expect(await errorsOf(database, 130)).toEqual(Array(130).fill(unknown));
    expect(writes()).toBe(3);
  });
});
