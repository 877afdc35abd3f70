import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SystemIdSource } from '../../src/common/ids.js';
import { HubSettings } from '../../src/database/hub-settings.js';
import { openDatabase } from '../../src/database/open-database.js';
import { databaseContract } from '../contract/database.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('database', databaseContract);

describeDatabases('hub settings', (databases) => {
  it('are made once and the same for every process', async () => {
    const database = await databases.open();
    const settings = [1, 2, 3].map(() => new HubSettings(database, new SystemIdSource()));
    const secrets = await Promise.all(settings.map((each) => each.pageTokenSecret()));
    expect(new Set(secrets).size).toBe(1);
    const restarted = new HubSettings(database, new SystemIdSource());
    expect(await restarted.pageTokenSecret()).toBe(secrets[0]);
    expect(await restarted.instanceId()).not.toBe(secrets[0]);
  });
});

describe('a SQLite file', () => {
  const settings = (path: string) => ({ url: `sqlite:${path}`, synchronous: 'full' }) as const;

  it('belongs to one process, and to the next one when that has closed it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hub-lock-'));
    const path = join(folder, 'deep', 'er', 'hub.db');
    const first = await openDatabase(settings(path));
    await expect(openDatabase(settings(path))).rejects.toThrow(/another process is using/);
    const link = join(folder, 'link.db');
    symlinkSync(path, link);
    await expect(openDatabase(settings(link))).rejects.toThrow(/another process is using/);
    await first.close();
    const second = await openDatabase(settings(path));
    await second.close();
    rmSync(folder, { recursive: true });
  });

  it('is written with the durability that was asked for', async () => {
    const database = await openDatabase(settings(':memory:'));
    expect(await database.read('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
    expect(await database.read('PRAGMA foreign_keys')).toEqual([{ foreign_keys: 1 }]);
    await expect(database.read('DELETE FROM hub_settings')).rejects.toThrow(/not a query/);
    await database.close();
  });
});
