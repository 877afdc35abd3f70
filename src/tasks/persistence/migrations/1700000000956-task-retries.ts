import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A task that was retried is seen as such: its retries are found by it. */
export class TaskRetries1700000000956 implements MigrationInterface {
  readonly name = 'TaskRetries1700000000956';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "tasks" ADD COLUMN "retry_of" text');
    await runner.query(
      `CREATE INDEX "tasks_retry_idx" ON "tasks" ("retry_of", "id") WHERE "retry_of" IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "tasks_retry_idx"');
    await runner.query('ALTER TABLE "tasks" DROP COLUMN "retry_of"');
  }
}
