import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import { createDataSource } from '../../src/database/data-source.js';
import { openDatabase } from '../../src/database/open-database.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('schema', (databases) => {
  async function connect(): Promise<DataSource> {
    return createDataSource(
      {
        url: await databases.freshUrl(),
        synchronous: 'normal',
      },
      HUB_SCHEMA,
    ).initialize();
  }

  it('is the same in migrations and entities', async () => {
    const source = await connect();
    await source.runMigrations();
    const drift = await source.driver.createSchemaBuilder().log();
    await source.destroy();
    expect(drift.upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('goes up, down and up again', async () => {
    const source = await connect();
    await source.runMigrations();
    for (let done = 0; done < HUB_SCHEMA.migrations.length; done += 1)
      await source.undoLastMigration();
    expect(await source.showMigrations()).toBe(true);
    await source.runMigrations();
    expect(await source.showMigrations()).toBe(false);
    await source.destroy();
  });

  it('is up to date after the database was opened', async () => {
    const database = await databases.open();
    await expect(database.check()).resolves.toBeUndefined();
  });

  it('says at start that a database of an older development version must be made anew', async () => {
    const url = await databases.freshUrl();
    const settings = { url, synchronous: 'normal' } as const;
    await (await openDatabase(settings, HUB_SCHEMA, { migrate: true })).close();
    const source = await createDataSource(settings, HUB_SCHEMA).initialize();
    await source.query('ALTER TABLE agents DROP COLUMN refused');
    await source.destroy();
    await expect(openDatabase(settings, HUB_SCHEMA)).rejects.toThrow(
      /^the table agents of this database was made by an older development version .*make the database anew/,
    );
  });

  if (databases.dialect === 'postgres') {
    it('must be migrated by command before a server starts', async () => {
      const settings = { url: await databases.freshUrl(), synchronous: 'full' } as const;
      await expect(openDatabase(settings, HUB_SCHEMA)).rejects.toThrow(/`migrate`/);
      // It has made nothing: `migrate`, which may run at the same time, makes all of it.
      const source = await createDataSource(settings, HUB_SCHEMA).initialize();
      expect(
        await source.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"),
      ).toEqual([]);
      await source.destroy();
      const both = await Promise.all([
        openDatabase(settings, HUB_SCHEMA, { migrate: true }),
        openDatabase(settings, HUB_SCHEMA, { migrate: true }),
      ]);
      for (const database of both) await database.close();
      const server = await openDatabase(settings, HUB_SCHEMA);
      await server.close();
    });
  }
});

describe('database.url', () => {
  it('is refused when it is neither SQLite nor PostgreSQL', async () => {
    await expect(
      openDatabase({ url: 'mysql://x', synchronous: 'full' }, HUB_SCHEMA),
    ).rejects.toThrow(/sqlite: or postgres/);
  });
});
