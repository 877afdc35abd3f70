import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The webhooks that use an auth profile are counted before it is deleted, however many others there are. */
export class WebhooksOfProfiles1700000000958 implements MigrationInterface {
  readonly name = 'WebhooksOfProfiles1700000000958';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX "push_webhooks_auth_profile" ON "push_webhooks" ("auth_profile", "organization")
       WHERE "auth_profile" IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "push_webhooks_auth_profile"');
  }
}
