import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Principals and their API keys. */
export class Auth1700000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "principals" (
        "id" text NOT NULL,
        "organization" text NOT NULL,
        "built_in" smallint NOT NULL,
        "created_at" bigint NOT NULL,
        "disabled_at" bigint,
        "keyless_since" bigint,
        "narrow_since" bigint,
        "plain_since" bigint,
        "unreconciled" bigint,
        CONSTRAINT "principals_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(
      `CREATE INDEX "principals_organization" ON "principals" ("organization", "id")`,
    );
    await runner.query(
      `CREATE INDEX "principals_unreconciled" ON "principals" ("unreconciled")
        WHERE "unreconciled" IS NOT NULL`,
    );
    await runner.query(
      `CREATE TABLE "principal_revisions" (
        "id" smallint NOT NULL,
        "revision" bigint NOT NULL,
        CONSTRAINT "principal_revisions_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(`INSERT INTO "principal_revisions" ("id", "revision") VALUES (1, 0)`);
    await runner.query(
      `CREATE TABLE "api_keys" (
        "id" text NOT NULL,
        "principal_id" text NOT NULL,
        "name" text NOT NULL,
        "scopes" text NOT NULL,
        "hash" text NOT NULL,
        "admin" smallint NOT NULL,
        "created_at" bigint NOT NULL,
        "revoked_at" bigint,
        CONSTRAINT "api_keys_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(`CREATE INDEX "api_keys_principal" ON "api_keys" ("principal_id", "id")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "api_keys"');
    await runner.query('DROP TABLE "principal_revisions"');
    await runner.query('DROP TABLE "principals"');
  }
}
