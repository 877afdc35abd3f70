import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Operators look for tasks by the rule that chose, by why they ended, and by their trace. */
export class TaskSearches1700000000911 implements MigrationInterface {
  readonly name = 'TaskSearches1700000000911';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "tasks" ADD COLUMN "rule_id" text');
    await runner.query('ALTER TABLE "tasks" ADD COLUMN "end_code" text');
    await runner.query('ALTER TABLE "tasks" ADD COLUMN "trace_id" text');
    await runner.query(
      `CREATE INDEX "tasks_rule_idx" ON "tasks" ("rule_id", "status_at", "id") WHERE "rule_id" IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX "tasks_end_idx" ON "tasks" ("end_code", "status_at", "id") WHERE "end_code" IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX "tasks_trace_idx" ON "tasks" ("trace_id") WHERE "trace_id" IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['tasks_rule_idx', 'tasks_end_idx', 'tasks_trace_idx']) {
      await runner.query(`DROP INDEX "${name}"`);
    }
    for (const name of ['rule_id', 'end_code', 'trace_id']) {
      await runner.query(`ALTER TABLE "tasks" DROP COLUMN "${name}"`);
    }
  }
}
