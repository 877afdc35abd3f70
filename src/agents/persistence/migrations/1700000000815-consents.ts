import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../../../database/dialect.js';

/** Consents of users to calls of agents in their name. */
export class Consents1700000000815 implements MigrationInterface {
  readonly name = 'Consents1700000000815';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "consents" (
      "principal_id" text NOT NULL,
      "organization" text NOT NULL,
      "agent_id" text NOT NULL,
      "id" text NOT NULL,
      "client" text NOT NULL,
      "server" text NOT NULL,
      "scope" text,
      "sealed_access_token" text NOT NULL,
      "sealed_refresh_token" text,
      "usable_until" bigint NOT NULL,
      "token_at" bigint NOT NULL,
      "renewing_until" bigint,
      "created_at" bigint NOT NULL,
      CONSTRAINT "consents_pk" PRIMARY KEY ("principal_id", "organization", "agent_id")
    )${withoutRowid(runner)}`);
    await runner.query('CREATE UNIQUE INDEX "consents_id_uq" ON "consents" ("id")');
    await runner.query(
      'CREATE INDEX "consents_organization_idx" ON "consents" ("organization", "id")',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "consents"');
  }
}
