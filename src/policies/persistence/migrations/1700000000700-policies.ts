import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The policies of operators, what they were, and the number that tells every process when they changed. */
export class Policies1700000000700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "policies" (
        "id" text NOT NULL,
        "version" integer NOT NULL,
        "organization" text,
        "description" text NOT NULL,
        "enabled" smallint NOT NULL,
        "text" text NOT NULL,
        "tests" text NOT NULL,
        "created_at" bigint NOT NULL,
        "updated_at" bigint NOT NULL,
        CONSTRAINT "policies_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(
      `CREATE TABLE "policy_versions" (
        "id" text NOT NULL,
        "version" integer NOT NULL,
        "definition" text NOT NULL,
        "at" bigint NOT NULL,
        CONSTRAINT "policy_versions_pk" PRIMARY KEY ("id", "version")
      )`,
    );
    await runner.query(
      `CREATE TABLE "policy_revisions" (
        "id" smallint NOT NULL,
        "revision" bigint NOT NULL,
        CONSTRAINT "policy_revisions_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(`INSERT INTO "policy_revisions" ("id", "revision") VALUES (1, 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "policy_revisions"');
    await runner.query('DROP TABLE "policy_versions"');
    await runner.query('DROP TABLE "policies"');
  }
}
