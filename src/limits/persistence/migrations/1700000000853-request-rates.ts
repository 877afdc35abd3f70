import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../../../database/dialect.js';

/** How many requests processes may let through in a second. */
export class RequestRates1700000000853 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "request_rates" (
        "key" text NOT NULL,
        "second" bigint NOT NULL,
        "taken" bigint NOT NULL,
        "ahead" bigint NOT NULL,
        CONSTRAINT "request_rates_pk" PRIMARY KEY ("key")
      )${withoutRowid(runner)}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "request_rates"');
  }
}
