import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../../../database/dialect.js';

/** Tasks that have ended and are still to be recorded in the audit log. */
export class EndedTasks1700000000610 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "ended_tasks" (
      "task_id" text NOT NULL,
      CONSTRAINT "ended_tasks_pk" PRIMARY KEY ("task_id")
    )${withoutRowid(runner)}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "ended_tasks"');
  }
}
