import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../../../database/dialect.js';

/** What happened, by the minute. */
export class Activity1700000000912 implements MigrationInterface {
  readonly name = 'Activity1700000000912';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "activity" (
      "span" smallint NOT NULL,
      "kind" text NOT NULL,
      "organization" text NOT NULL,
      "agent_id" text NOT NULL,
      "at" bigint NOT NULL,
      "name" text NOT NULL,
      "count" bigint NOT NULL,
      "total_ms" bigint NOT NULL,
      CONSTRAINT "activity_pk" PRIMARY KEY
        ("span", "kind", "organization", "agent_id", "at", "name")
    )${withoutRowid(runner)}`);
    await runner.query('CREATE INDEX "activity_at_idx" ON "activity" ("span", "at")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "activity"');
  }
}
