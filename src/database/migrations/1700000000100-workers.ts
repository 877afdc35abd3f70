import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../dialect.js';

/** The processes that work on what others take in. */
export class Workers1700000000100 implements MigrationInterface {
  readonly name = 'Workers1700000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "workers" (
      "id" text NOT NULL,
      "seen_at" bigint NOT NULL,
      CONSTRAINT "workers_pk" PRIMARY KEY ("id")
    )${withoutRowid(runner)}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "workers"');
  }
}
