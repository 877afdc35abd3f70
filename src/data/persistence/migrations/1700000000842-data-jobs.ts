import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Exports and deletions of all data of an owner. */
export class DataJobs1700000000842 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "data_jobs" (
        "id" text NOT NULL,
        "kind" text NOT NULL,
        "owner" text NOT NULL,
        "mapping_only" smallint NOT NULL,
        "blocks" smallint NOT NULL,
        "state" text NOT NULL,
        "requested_by" text NOT NULL,
        "key_id" text,
        "progress" text NOT NULL,
        "error" text,
        "receipt" text,
        "runner" text,
        "lease_until" bigint,
        "created_at" bigint NOT NULL,
        "started_at" bigint,
        "ended_at" bigint,
        CONSTRAINT "data_jobs_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(`CREATE INDEX "data_jobs_kind" ON "data_jobs" ("kind", "id")`);
    await runner.query(
      `CREATE UNIQUE INDEX "data_jobs_deleting" ON "data_jobs" ("owner")
       WHERE "kind" = 'deletion' AND "ended_at" IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "data_jobs"');
  }
}
