import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BetterSqlite3, type SqliteConnection } from './better-sqlite3.js';
import { CheckpointThread } from './checkpoint-thread.js';

describe('the thread that copies the log', () => {
  let folder: string;
  let path: string;
  let connection: SqliteConnection;
  let thread: CheckpointThread;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hub-checkpoint-'));
    path = join(folder, 'hub.db');
    connection = new BetterSqlite3(path);
    connection.pragma('journal_mode = WAL');
    connection.exec('CREATE TABLE t (x); INSERT INTO t VALUES (1)');
    thread = new CheckpointThread(path);
  });
  afterEach(async () => {
    await thread.close();
    connection.close();
    rmSync(folder, { recursive: true });
  });

  it('copies all that is committed, again and again', async () => {
    for (let n = 0; n < 3; n++) {
      connection.exec('INSERT INTO t VALUES (2)');
      const { log, checkpointed } = await thread.copy();
      expect(log).toBeGreaterThan(0);
      expect(checkpointed).toBe(log);
    }
  });

  it('says when it cannot begin, and begins anew with the next copy', async () => {
    const lost = new CheckpointThread(join(folder, 'none.db'));
    for (let n = 0; n < 2; n++) {
      await expect(lost.copy()).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' });
    }
    await lost.close();
  });

  it('closes without having copied', async () => {
    await expect(thread.close()).resolves.toBeUndefined();
  });
});
