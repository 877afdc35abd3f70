import type { MigrationInterface, QueryRunner } from 'typeorm';

export class HubSettings1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "hub_settings" (
        "key" text NOT NULL,
        "value" text NOT NULL,
        CONSTRAINT "hub_settings_pk" PRIMARY KEY ("key")
      )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "hub_settings"');
  }
}
