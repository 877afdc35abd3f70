import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../../../database/dialect.js';

/** Delegations that wait for the consent of their task's owner. */
export class ConsentRequests1700000000816 implements MigrationInterface {
  readonly name = 'ConsentRequests1700000000816';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "consent_requests" (
      "delegation_id" text NOT NULL,
      "task_id" text NOT NULL,
      "principal_id" text NOT NULL,
      "organization" text NOT NULL,
      "agent_id" text NOT NULL,
      "link_digest" text NOT NULL,
      "expires_at" bigint NOT NULL,
      "state_digest" text,
      "browser_digest" text,
      "sealed_verifier" text,
      "state_until" bigint,
      CONSTRAINT "consent_requests_pk" PRIMARY KEY ("delegation_id")
    )${withoutRowid(runner)}`);
    const indexes = [
      'UNIQUE INDEX "consent_requests_link_uq" ON "consent_requests" ("link_digest")',
      `UNIQUE INDEX "consent_requests_state_uq" ON "consent_requests" ("state_digest")
         WHERE "state_digest" IS NOT NULL`,
      `INDEX "consent_requests_principal_idx" ON "consent_requests"
         ("principal_id", "organization", "agent_id")`,
      'INDEX "consent_requests_task_idx" ON "consent_requests" ("task_id")',
    ];
    for (const index of indexes) await runner.query(`CREATE ${index}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "consent_requests"');
  }
}
