import { expect, it } from '@jest/globals';
import { createDataSource } from '../../src/database/data-source.js';
import { openDatabase } from '../../src/database/open-database.js';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import { RuleVersions1700000000940 } from '../../src/routing/persistence/migrations/1700000000940-rule-versions.js';
import { SqlRuleStore } from '../../src/routing/persistence/sql-rule.store.js';
import { aRule } from '../../src/routing/rules/domain/fake-rules.js';
import { ruleStoreContract } from '../contract/rule-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('routing rules', (databases) => {
  ruleStoreContract(async () => new SqlRuleStore(await databases.openEmptied()));

  it('that were there before versions are at their first one', async () => {
    const settings = { url: await databases.freshUrl(), synchronous: 'normal' } as const;
    const source = await createDataSource(settings, HUB_SCHEMA).initialize();
    await source.runMigrations();
    // As it was: without the last step.
    const runner = source.createQueryRunner();
    const migration = new RuleVersions1700000000940();
    await migration.down(runner);
    await runner.query(
      `INSERT INTO routing_rules (id, position, name, enabled, conditions, target, created_at, updated_at)
       VALUES ('old', 0, 'It''s old', 0, '{"text":{"pattern":"\\\\bx\\u0000"}}', '{"agentId":"a"}', 1000, 2000)`,
    );
    await migration.up(runner);
    await runner.release();
    await source.destroy();

    const database = await openDatabase(settings, HUB_SCHEMA);
    const store = new SqlRuleStore(database);
    const old = aRule('old', {
      name: "It's old",
      enabled: false,
      conditions: { text: { pattern: '\\bx\u0000' } },
      target: { agentId: 'a' },
      createdAt: new Date(1000),
      updatedAt: new Date(2000),
    });
    expect(await store.all()).toEqual([old]);
    const { id, name, enabled, conditions, target } = old;
    expect((await store.versions('old', 10)).items).toEqual([
      {
        id,
        version: 1,
        name,
        enabled,
        conditions,
        target,
        source: 'api',
        createdAt: old.updatedAt,
      },
    ]);
    const now = new Date(3000);
    const [changed] = await store.change(([rule]) => [{ ...rule!, name: 'new' }], now);
    expect(changed).toMatchObject({ version: 2 });
    await database.close();
  });
});
