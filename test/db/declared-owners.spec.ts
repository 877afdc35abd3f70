import { expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { createDataSource } from '../../src/database/data-source.js';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import { DeclaredOwners1700000000976 } from '../../src/push/registration/persistence/migrations/1700000000976-declared-owners.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('the owner of declared subscriptions', (databases) => {
  async function migrated(before: (runner: QueryRunner) => Promise<void>): Promise<unknown[]> {
    const settings = { url: await databases.freshUrl(), synchronous: 'normal' } as const;
    const source = await createDataSource(settings, HUB_SCHEMA).initialize();
    await source.runMigrations();
    const runner = source.createQueryRunner();
    const migration = new DeclaredOwners1700000000976();
    await migration.down(runner);
    await webhook(runner, 'ledger', 'config');
    await webhook(runner, 'made', 'api');
    await delivery(runner, 'd1', 'subscription:ledger');
    await delivery(runner, 'd2', 'subscription:deleted');
    await delivery(runner, 'd3', 'subscription:made');
    await delivery(runner, 'd4', 'of-a-task');
    await before(runner);
    await migration.up(runner);
    const rows = (await runner.query(
      `SELECT id, principal_id FROM push_webhooks
       UNION ALL SELECT id, principal_id FROM push_deliveries ORDER BY id`,
    )) as { id: string; principal_id: string }[];
    await runner.release();
    await source.destroy();
    return rows.map((row) => [row.id, row.principal_id]);
  }

  it('is the configuration of their organization', async () => {
    expect(await migrated(() => Promise.resolve())).toEqual([
      ['d1', 'config'],
      ['d2', 'config'],
      ['d3', 'config'],
      ['d4', 'config'],
      ['ledger', 'config acme'],
      ['made', 'config'],
    ]);
  });

  it('is so of what became of them as well, where a principal had their former owner as its id', async () => {
    const rows = await migrated((runner) =>
      runner.query(
        `INSERT INTO principals (id, organization, built_in, created_at) VALUES ('config', 'acme', 0, 0)`,
      ),
    );
    expect(rows).toEqual([
      ['d1', 'config acme'],
      ['d2', 'config acme'],
      ['d3', 'config'],
      ['d4', 'config'],
      ['ledger', 'config acme'],
      ['made', 'config'],
    ]);
  });
});

async function webhook(runner: QueryRunner, id: string, source: string): Promise<void> {
  await runner.query(
    `INSERT INTO push_webhooks (id, scope, organization, principal_id, source, url, endpoint, version,
       auth_names, events, fingerprint, verified, state, created_at, updated_at)
     VALUES ('${id}', 'organization', 'acme', 'config', '${source}', 'u', 'e', '1.0',
       '[]', 'changes', 'f', 1, 'active', 0, 0)`,
  );
}

async function delivery(runner: QueryRunner, id: string, configId: string): Promise<void> {
  await runner.query(
    `INSERT INTO push_deliveries (id, stream_id, task_id, config_id, endpoint, organization, principal_id,
       number, seq, kind, webhook_id, state, attempts, tries, rejections, redelivered, created_at, updated_at)
     VALUES ('${id}', 's', 't', '${configId}', 'e', 'acme', 'config',
       1, 1, 'event', 'w', 'delivered', 1, 1, 0, 0, 0, 0)`,
  );
}
