import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Principals and their API keys. */
export class Auth1700000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "principals" (
        "id" text NOT NULL,
        "organization" text NOT NULL,
        "created_at" bigint NOT NULL,
        CONSTRAINT "principals_pk" PRIMARY KEY ("id")
      )`,
    );
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
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "api_keys"');
    await runner.query('DROP TABLE "principals"');
  }
}
