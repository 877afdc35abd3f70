import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../../../database/dialect.js';

/** How many tasks each principal has and what they take, for quotas and lists. */
export class TaskUsage1700000000090 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "task_usage" (
      "organization" text NOT NULL,
      "principal_id" text NOT NULL,
      "shard" smallint NOT NULL,
      "open_tasks" bigint NOT NULL,
      "completed_tasks" bigint NOT NULL,
      "failed_tasks" bigint NOT NULL,
      "canceled_tasks" bigint NOT NULL,
      "rejected_tasks" bigint NOT NULL,
      "stored_bytes" bigint NOT NULL,
      "day" integer NOT NULL,
      "begun" bigint NOT NULL,
      "updated_at" bigint NOT NULL,
      CONSTRAINT "task_usage_pk" PRIMARY KEY ("organization", "principal_id", "shard")
    )${withoutRowid(runner)}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "task_usage"');
  }
}
