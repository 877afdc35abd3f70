import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BetterSqlite3 } from '../../src/database/better-sqlite3.js';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import { createDataSource } from '../../src/database/data-source.js';
import type { Checkpoint } from '../../src/database/checkpoint-thread.js';
import type { Durability } from '../../src/database/database.js';
import { diskSyncOf, type DiskSync } from '../../src/database/disk-sync.js';
import { SqliteDatabase } from '../../src/database/sqlite.database.js';
import { eventually } from '../support/eventually.js';
import { LogLines } from '../support/log-lines.js';

const NOT_COPIED = 'the write-ahead log could not be copied; it grows until it can be';

let folder: string;
let database: SqliteDatabase;
let disk: SlowDisk;
let log: LogLines;

/** A disk that keeps what it is given when the test says so. */
class SlowDisk implements DiskSync {
  readonly requested: string[] = [];
  private waiting: (() => void)[] = [];
  /** Which of both it cannot keep. */
  failing: string | undefined;
  slow = true;
  /** Why it cannot be copied, though the disk works. */
  full: Error | undefined;
  /** No copy begins before. */
  beforeCopy: Promise<unknown> = Promise.resolve();

  constructor(private readonly files: DiskSync) {}

  log(): Promise<void> {
    return this.ask('log');
  }

  /** Of what is in the log when it is asked for. */
  async copy(): Promise<Checkpoint> {
    await this.beforeCopy;
    if (this.full !== undefined) throw this.full;
    const copied = await this.files.copy();
    await this.ask('copy');
    return copied;
  }

  endCopies(): Promise<void> {
    return this.files.endCopies();
  }

  /** What was asked for until now is on the disk. */
  keep(): void {
    for (const done of this.waiting.splice(0)) done();
  }

  close(): void {
    this.files.close();
  }

  private async ask(what: string): Promise<void> {
    this.requested.push(what);
    if (this.slow) await new Promise<void>((resolve) => this.waiting.push(resolve));
    const code = what === 'log' ? 'EIO' : 'SQLITE_IOERR_FSYNC';
    if (this.failing === what)
      throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code });
  }
}

async function open(synchronous: 'full' | 'normal' = 'full'): Promise<void> {
  const path = join(folder, 'hub.db');
  const source = await createDataSource(
    { url: `sqlite:${path}`, synchronous },
    HUB_SCHEMA,
  ).initialize();
  await source.runMigrations();
  database = new SqliteDatabase(
    source,
    null,
    (connection) => (disk = new SlowDisk(diskSyncOf(connection)!)),
    (log = new LogLines()),
  );
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hub-disk-'));
});

afterEach(async () => {
  disk.slow = false;
  disk.keep();
  await database.close();
  rmSync(folder, { recursive: true });
});

const add = (key: string, durability?: Durability, text = 'x'): Promise<unknown> =>
  database.write(
    (tx) => tx.run('INSERT INTO hub_settings (key, value) VALUES (?, ?)', [key, text]),
    durability,
  );

const keys = (): Promise<{ key: string }[]> =>
  database.read("SELECT key FROM hub_settings WHERE key LIKE 'k%' ORDER BY key");

/** What a program beside the hub would read now: what is committed. */
function committed(): unknown[] {
  const other = new BetterSqlite3(join(folder, 'hub.db'), { readonly: true });
  try {
    const keyOf = other.prepare("SELECT key FROM hub_settings WHERE key LIKE 'k%' ORDER BY key");
    return keyOf.pluck().all();
  } finally {
    other.close();
  }
}

/** Whether it has resolved within a few turns of the event loop. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  const set = (): void => void (done = true);
  promise.then(set, set);
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  return done;
}

describe('a commit on SQLite', () => {
  it('is told, and shown, when it is on the disk; the event loop goes on meanwhile', async () => {
    await open();
    const written = add('k1');
    expect(await isDone(written)).toBe(false);
    expect(disk.requested).toEqual(['log']);
    expect(committed()).toEqual(['k1']);
    const read = keys();
    expect(await isDone(read)).toBe(false);
    disk.keep();
    await written;
    expect(await read).toEqual([{ key: 'k1' }]);
    expect(await isDone(keys())).toBe(true);
  });

  it('waits for a sync that began after it, together with others that do', async () => {
    await open();
    const first = add('k1');
    await isDone(first);
    const later = [add('k2')];
    await nextTurn();
    later.push(add('k3'));
    expect(await isDone(Promise.all(later))).toBe(false);
    expect(committed()).toEqual(['k1', 'k2', 'k3']);
    expect(disk.requested).toEqual(['log']);
    disk.keep();
    expect(await isDone(first)).toBe(true);
    // The sync under way when they were committed is not theirs.
    expect(await Promise.all(later.map(isDone))).toEqual([false, false]);
    expect(disk.requested).toEqual(['log', 'log']);
    disk.keep();
    await Promise.all(later);
  });

  it('does not wait where all that is written may be lost, but behind one that does', async () => {
    await open();
    await add('k1', 'may-be-lost');
    expect(disk.requested).toEqual([]);
    const order: string[] = [];
    const durable = add('k2').then(() => order.push('durable'));
    await nextTurn();
    const lossy = add('k3', 'may-be-lost').then(() => order.push('may be lost'));
    expect(await isDone(lossy)).toBe(false);
    disk.keep();
    await Promise.all([durable, lossy]);
    expect(order).toEqual(['durable', 'may be lost']);
    expect(disk.requested).toEqual(['log']);
    await expect(
      database.write((tx) => tx.run('DELETE FROM nowhere'), 'may-be-lost'),
    ).rejects.toMatchObject({ message: expect.stringMatching(/no such table/) });
  });

  it('never waits with database.synchronous: normal', async () => {
    await open('normal');
    await add('k1');
    expect(await keys()).toHaveLength(1);
    expect(disk.requested).toEqual([]);
  });

  it('that the disk did not keep is refused, and so is all that comes after it', async () => {
    await open();
    const written = add('k1');
    await isDone(written);
    const early = Promise.allSettled([written, add('k2'), keys()]);
    await nextTurn();
    disk.failing = 'log';
    disk.keep();
    const answers = [...(await early), ...(await Promise.allSettled([add('k3'), keys()]))];
    answers.push(...(await Promise.allSettled([database.check()])));
    expect(answers).toHaveLength(6);
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 'rejected',
        reason: {
          reason: 'UNAVAILABLE',
          message: expect.stringMatching(/did not keep what was written \(EIO.*restart the hub/),
        },
      });
    }
  });
});

describe('the write-ahead log', () => {
  const LARGE = 'x'.repeat(9 * 1024 * 1024);

  it('is copied while commits go on, until little is left to copy', async () => {
    await open();
    let copyMayBegin = (): void => {};
    disk.beforeCopy = new Promise<void>((resolve) => (copyMayBegin = resolve));
    const first = add('k1', 'durable', LARGE);
    await isDone(first);
    // The log cannot begin anew while somebody reads from it, as it cannot when a commit comes during a copy.
    const other = new BetterSqlite3(join(folder, 'hub.db'), { readonly: true });
    other.exec('BEGIN');
    other.prepare('SELECT COUNT(*) FROM hub_settings').get();
    copyMayBegin();
    await eventually(() => expect(disk.requested).toEqual(['log', 'copy']));
    const second = add('k2');
    await eventually(() => expect(committed()).toEqual(['k1', 'k2']));
    disk.keep();
    await first;
    await eventually(() => expect(disk.requested).toEqual(['log', 'copy', 'log']));
    disk.keep();
    await second;
    other.close();
    // What came during the copy is little: it is copied while the next commit waits.
    const third = add('k3');
    await eventually(() => expect(disk.requested).toEqual(['log', 'copy', 'log', 'log', 'copy']));
    const fourth = add('k4');
    expect(await isDone(fourth)).toBe(false);
    expect(committed()).toEqual(['k1', 'k2', 'k3']);
    // Readers have not to wait for the copy, nor for what it holds back.
    disk.keep();
    await third;
    expect(await keys()).toHaveLength(3);
    disk.slow = false;
    disk.keep();
    await fourth;
    expect(committed()).toEqual(['k1', 'k2', 'k3', 'k4']);
    expect(statSync(join(folder, 'hub.db')).size).toBeGreaterThan(LARGE.length);
  });

  it('is copied also when nobody waits for the disk', async () => {
    await open('normal');
    disk.slow = false;
    await add('k1', 'may-be-lost', LARGE);
    await eventually(() => expect(disk.requested).toContain('copy'));
    expect(await keys()).toHaveLength(1);
  });

  it('begins anew after its copy, so it does not grow without end', async () => {
    await open();
    disk.slow = false;
    const size = () => statSync(join(folder, 'hub.db-wal')).size;
    // As many as it takes the copy to come round; its thread may have to wait for a processor.
    let written = 0;
    do await add(`k${written}`, 'durable', LARGE);
    while (++written < 30 || (size() > (written / 3) * LARGE.length && written < 150));
    expect(size()).toBeLessThanOrEqual((written / 3) * LARGE.length);
  });

  it('is copied later when that fails although the disk works, which is logged', async () => {
    await open();
    disk.slow = false;
    disk.full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    const path = join(folder, 'hub.db');
    const before = statSync(path).size;
    for (let n = 0; n < 6; n++) await add(`k${n}`, 'durable', LARGE);
    await eventually(() => expect(log.of(NOT_COPIED, 'warn').length).toBeGreaterThan(0));
    expect(log.of(NOT_COPIED).length).toBeLessThanOrEqual(6);
    expect(statSync(path).size).toBe(before);
    disk.full = undefined;
    for (let n = 6; n < 12; n++) await add(`k${n}`, 'durable', LARGE);
    await eventually(() => expect(statSync(path).size).toBeGreaterThan(before + 6 * LARGE.length));
    expect(await keys()).toHaveLength(12);
  });

  it('goes on when another program reads from it', async () => {
    await open();
    disk.slow = false;
    const other = new BetterSqlite3(join(folder, 'hub.db'), { readonly: true });
    other.exec('BEGIN');
    other.prepare('SELECT COUNT(*) FROM hub_settings').get();
    for (let i = 0; i < 3; i += 1) await add(`k${i}`, 'durable', LARGE);
    expect(await keys()).toHaveLength(3);
    other.exec('COMMIT');
    other.close();
    await add('k8', 'durable', LARGE);
    expect(await keys()).toHaveLength(4);
  });

  it.each(['log', 'copy'])(
    'stays when the disk failed at the %s, for the next start to read by its checksums',
    async (what) => {
      await open();
      disk.slow = false;
      await add('k0');
      disk.failing = what;
      const large = await Promise.allSettled([add('k1', 'durable', LARGE)]);
      expect(large[0].status).toBe(what === 'log' ? 'rejected' : 'fulfilled');
      await eventually(() => expect(disk.requested).toContain(what));
      await nextTurn();
      await expect(add('k2')).rejects.toThrow(/did not keep/);
      const log = join(folder, 'hub.db-wal');
      const before = readFileSync(log);
      await database.close();
      expect(readFileSync(log).equals(before)).toBe(true);
      await open();
      expect(await keys()).toEqual([{ key: 'k0' }, { key: 'k1' }]);
    },
  );
});
