import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Auth profiles for webhooks, and the number by which every process sees that they changed. */
export class PushAuthProfiles1700000000051 implements MigrationInterface {
  readonly name = 'PushAuthProfiles1700000000051';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "push_auth_revisions"');
    await runner.query('DROP TABLE "push_auth_profiles"');
  }
}

const STATEMENTS = [
  `CREATE TABLE "push_auth_profiles" (
    "id" text NOT NULL,
    "organization" text NOT NULL,
    "name" text NOT NULL,
    "scheme" text NOT NULL,
    "urls" text NOT NULL,
    "automatic" smallint NOT NULL,
    "parameters" text NOT NULL,
    "sealed_secret" text,
    "fingerprint" text,
    "secret_since" bigint,
    "sealed_previous" text,
    "previous_fingerprint" text,
    "previous_until" bigint,
    "version" integer NOT NULL,
    "created_at" bigint NOT NULL,
    "updated_at" bigint NOT NULL,
    CONSTRAINT "push_auth_profiles_pk" PRIMARY KEY ("id")
  )`,
  `CREATE UNIQUE INDEX "push_auth_profiles_name" ON "push_auth_profiles" ("organization", "name")`,
  `CREATE TABLE "push_auth_revisions" (
    "id" smallint NOT NULL,
    "revision" bigint NOT NULL,
    CONSTRAINT "push_auth_revisions_pk" PRIMARY KEY ("id")
  )`,
  `INSERT INTO "push_auth_revisions" ("id", "revision") VALUES (1, 0)`,
];
