import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Subscriptions of the configuration belong to the configuration of their organization, under a name that no principal can
 * have. Before it was `config`, which a principal could: what that one is not to see goes to the new name as well.
 */
export class DeclaredOwners1700000000976 implements MigrationInterface {
  readonly name = 'DeclaredOwners1700000000976';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE push_webhooks SET principal_id = ${OWNER} WHERE principal_id = 'config' AND source = 'config'`,
    );
    for (const table of TABLES) {
      // Without such a principal they are nobody's but the organization's as they are, and there may be millions.
      await runner.query(
        `UPDATE ${table} SET principal_id = ${OWNER} WHERE principal_id = 'config'
           AND EXISTS (SELECT 1 FROM principals WHERE id = 'config')
           AND config_id LIKE 'subscription:%' AND config_id NOT IN
             (SELECT 'subscription:' || id FROM push_webhooks WHERE principal_id = 'config')`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['push_webhooks', ...TABLES]) {
      await runner.query(
        `UPDATE ${table} SET principal_id = 'config' WHERE principal_id = ${OWNER}`,
      );
    }
  }
}

const OWNER = `'config ' || organization`;
const TABLES = ['push_deliveries', 'push_events'];
