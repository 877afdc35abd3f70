import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../../../database/dialect.js';

/** What tasks have cost, month by month. */
export class Spending1700000000852 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "spending" (
        "organization" text NOT NULL,
        "month" integer NOT NULL,
        "principal_id" text NOT NULL,
        "agent_id" text NOT NULL,
        "skill_id" text NOT NULL,
        "unit" text NOT NULL,
        "amount" bigint NOT NULL,
        "tasks" bigint NOT NULL,
        CONSTRAINT "spending_pk" PRIMARY KEY
          ("organization", "month", "principal_id", "agent_id", "skill_id", "unit")
      )${withoutRowid(runner)}`,
    );
    for (const [name, columns] of [
      ['spending_principal_idx', '"principal_id", "month"'],
      ['spending_agent_idx', '"agent_id", "month"'],
      ['spending_month_idx', '"month"'],
    ]) {
      await runner.query(`CREATE INDEX "${name}" ON "spending" (${columns})`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "spending"');
  }
}
