import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Principals of callers who sign in without an API key. */
export class Identities1700000000160 implements MigrationInterface {
  readonly name = 'Identities1700000000160';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "identities" (
        "id" text NOT NULL,
        "principal_id" text NOT NULL,
        "issuer" text NOT NULL,
        "organization" text NOT NULL,
        "subject" text NOT NULL,
        "scopes" text NOT NULL,
        "admin" smallint NOT NULL,
        "created_at" bigint NOT NULL,
        "last_seen_at" bigint NOT NULL,
        "expires_at" bigint NOT NULL,
        "expired" smallint NOT NULL,
        CONSTRAINT "identities_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "identities_caller" ON "identities" ("issuer", "organization", "subject")`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "identities_principal" ON "identities" ("principal_id")`,
    );
    await runner.query(
      `CREATE INDEX "identities_expires_idx" ON "identities" ("expires_at") WHERE "expired" = 0`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "identities"');
  }
}
