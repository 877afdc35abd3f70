import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which receivers of webhooks have agreed to be called, and what went to those that have not. */
export class PushReceivers1700000000070 implements MigrationInterface {
  readonly name = 'PushReceivers1700000000070';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['push_reaches', 'push_senders', 'push_receivers']) {
      await runner.query(`DROP TABLE "${table}"`);
    }
  }
}

const STATEMENTS = [
  `CREATE TABLE "push_receivers" (
    "endpoint" text NOT NULL,
    "verified_at" bigint,
    "challenged_at" bigint,
    "requests_at" bigint NOT NULL,
    "bytes_at" bigint NOT NULL,
    "held_until" bigint,
    "held_reason" text,
    "updated_at" bigint NOT NULL,
    CONSTRAINT "push_receivers_pk" PRIMARY KEY ("endpoint")
  )`,
  `CREATE TABLE "push_senders" (
    "principal_id" text NOT NULL,
    "requests_at" bigint NOT NULL,
    "bytes_at" bigint NOT NULL,
    "held_until" bigint,
    "held_reason" text,
    "updated_at" bigint NOT NULL,
    CONSTRAINT "push_senders_pk" PRIMARY KEY ("principal_id")
  )`,
  `CREATE TABLE "push_reaches" (
    "principal_id" text NOT NULL,
    "endpoint" text NOT NULL,
    "at" bigint NOT NULL,
    CONSTRAINT "push_reaches_pk" PRIMARY KEY ("principal_id", "endpoint")
  )`,
];
