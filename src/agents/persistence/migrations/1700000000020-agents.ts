import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Registered agents, and the number that tells every process when they changed. */
export class Agents1700000000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "agents" (
        "id" text NOT NULL,
        "card" text NOT NULL,
        "original_card" text NOT NULL,
        "card_url" text,
        "card_headers" text NOT NULL,
        "card_trouble" text,
        "card_keys" text,
        "signature" text NOT NULL,
        "endpoint" text NOT NULL,
        "endpoint_override" text,
        "pin" text NOT NULL,
        "refused" text NOT NULL,
        "credentials" text NOT NULL,
        "credential_origins" text NOT NULL,
        "tags" text NOT NULL,
        "priority" integer NOT NULL,
        "weight" integer NOT NULL,
        "max_concurrent" integer,
        "max_queue" integer,
        "enabled" smallint NOT NULL,
        "organizations" text,
        "budgets" text NOT NULL,
        "source" text NOT NULL,
        "created_at" bigint NOT NULL,
        "updated_at" bigint NOT NULL,
        "deleted_at" bigint,
        CONSTRAINT "agents_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(
      `CREATE TABLE "agent_revisions" (
        "id" smallint NOT NULL,
        "revision" bigint NOT NULL,
        CONSTRAINT "agent_revisions_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(`INSERT INTO "agent_revisions" ("id", "revision") VALUES (1, 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "agent_revisions"');
    await runner.query('DROP TABLE "agents"');
  }
}
