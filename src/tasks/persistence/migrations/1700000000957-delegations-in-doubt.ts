import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a message without an answer may be another delegation's is found out however many tasks there are. */
export class DelegationsInDoubt1700000000957 implements MigrationInterface {
  readonly name = 'DelegationsInDoubt1700000000957';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "delegations" ADD COLUMN "doubt_at" bigint');
    await runner.query(
      `UPDATE "delegations" SET "doubt_at" = "updated_at"
       WHERE "downstream_task_id" IS NULL AND "state" IN ('failed', 'canceled')`,
    );
    await runner.query(
      `CREATE INDEX "delegations_doubt_idx" ON "delegations" ("agent_id", "doubt_at")
       WHERE "doubt_at" IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "delegations_doubt_idx"');
    await runner.query('ALTER TABLE "delegations" DROP COLUMN "doubt_at"');
  }
}
