import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../../../database/dialect.js';

/** The limits of operators, what is counted for them, and the number that tells every process when they changed. */
export class Limits1700000000850 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "limits" (
        "id" text NOT NULL,
        "subject" text NOT NULL,
        "definition" text NOT NULL,
        "created_at" bigint NOT NULL,
        "updated_at" bigint NOT NULL,
        CONSTRAINT "limits_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(`CREATE UNIQUE INDEX "limits_subject_idx" ON "limits" ("subject")`);
    await runner.query(
      `CREATE TABLE "limit_revisions" (
        "id" smallint NOT NULL,
        "revision" bigint NOT NULL,
        CONSTRAINT "limit_revisions_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(`INSERT INTO "limit_revisions" ("id", "revision") VALUES (1, 0)`);
    await runner.query(
      `CREATE TABLE "limit_counters" (
        "counter" text NOT NULL,
        "period" integer NOT NULL,
        "used" bigint NOT NULL,
        "updated_at" bigint NOT NULL,
        CONSTRAINT "limit_counters_pk" PRIMARY KEY ("counter", "period")
      )${withoutRowid(runner)}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "limit_counters"');
    await runner.query('DROP TABLE "limit_revisions"');
    await runner.query('DROP TABLE "limits"');
  }
}
