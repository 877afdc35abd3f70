import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../../../database/dialect.js';

/** Large logs of deleted tasks are deleted in pieces. */
export class DeletedLogs1700000000150 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "deleted_logs" (
      "task_id" text NOT NULL,
      "piece_rows" integer NOT NULL,
      CONSTRAINT "deleted_logs_pk" PRIMARY KEY ("task_id")
    )${withoutRowid(runner)}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "deleted_logs"');
  }
}
