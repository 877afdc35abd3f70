import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../../../database/dialect.js';

/** Sign-ins at the console. */
export class ConsoleSessions1700000000905 implements MigrationInterface {
  readonly name = 'ConsoleSessions1700000000905';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "console_sessions" (
      "id" text NOT NULL,
      "secret_hash" text NOT NULL,
      "principal_id" text NOT NULL,
      "organization" text NOT NULL,
      "issuer_id" text NOT NULL,
      "sealed_access_token" text NOT NULL,
      "sealed_refresh_token" text,
      "sealed_id_token" text,
      "usable_until" bigint NOT NULL,
      "token_at" bigint NOT NULL,
      "renewing_until" bigint,
      "created_at" bigint NOT NULL,
      "used_at" bigint NOT NULL,
      "expires_at" bigint NOT NULL,
      CONSTRAINT "console_sessions_pk" PRIMARY KEY ("id")
    )${withoutRowid(runner)}`);
    await runner.query(
      'CREATE UNIQUE INDEX "console_sessions_secret_uq" ON "console_sessions" ("secret_hash")',
    );
    await runner.query(
      'CREATE INDEX "console_sessions_principal_idx" ON "console_sessions" ("principal_id", "id")',
    );
    await runner.query(
      'CREATE INDEX "console_sessions_organization_idx" ON "console_sessions" ("organization", "id")',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "console_sessions"');
  }
}
