import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose the deleted logs are that are still in the database. */
export class OwnedLogs1700000000840 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "deleted_logs" ADD COLUMN "organization" text');
    await runner.query('ALTER TABLE "deleted_logs" ADD COLUMN "principal_id" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "deleted_logs" DROP COLUMN "principal_id"');
    await runner.query('ALTER TABLE "deleted_logs" DROP COLUMN "organization"');
  }
}
