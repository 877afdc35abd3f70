import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a message without an answer may be another delegation's is found out however many tasks there are. */
export class DelegationsInDoubt1700000000957 implements MigrationInterface {
  readonly name = 'DelegationsInDoubt1700000000957';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX "delegations_doubt_idx" ON "delegations" ("agent_id", "updated_at")
       WHERE "downstream_task_id" IS NULL AND "state" IN ('failed', 'canceled')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "delegations_doubt_idx"');
  }
}
