import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../../../database/dialect.js';

/** What agents are called with for single organizations. */
export class AgentCredentials1700000000890 implements MigrationInterface {
  readonly name = 'AgentCredentials1700000000890';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "agent_credentials" (
      "organization" text NOT NULL,
      "agent_id" text NOT NULL,
      "sealed_credentials" text NOT NULL,
      "credential_origins" text NOT NULL,
      "updated_at" bigint NOT NULL,
      CONSTRAINT "agent_credentials_pk" PRIMARY KEY ("organization", "agent_id")
    )${withoutRowid(runner)}`);
    await runner.query(
      'CREATE INDEX "agent_credentials_agent_idx" ON "agent_credentials" ("agent_id")',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "agent_credentials"');
  }
}
