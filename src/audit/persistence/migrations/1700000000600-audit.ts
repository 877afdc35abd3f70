import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit log and its anchors. */
export class Audit1700000000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "audit_anchors"');
    await runner.query('DROP TABLE "audit_events"');
  }
}

const STATEMENTS = [
  `CREATE TABLE "audit_events" (
    "chain" text NOT NULL,
    "seq" bigint NOT NULL,
    "id" text NOT NULL,
    "at" bigint NOT NULL,
    "action" text NOT NULL,
    "outcome" text NOT NULL,
    "principal" text,
    "organization" text,
    "on_behalf_of" text,
    "issuer" text,
    "credential" text,
    "resource_type" text,
    "resource_id" text,
    "request_id" text,
    "policy" text,
    "details" text NOT NULL,
    "previous_hash" text NOT NULL,
    "hash" text NOT NULL,
    CONSTRAINT "audit_events_pk" PRIMARY KEY ("chain", "seq")
  )`,
  `CREATE INDEX "audit_events_at_idx" ON "audit_events" ("at")`,
  `CREATE INDEX "audit_events_principal_idx" ON "audit_events" ("principal", "at")`,
  `CREATE INDEX "audit_events_action_idx" ON "audit_events" ("action", "at")
    WHERE "action" <> 'tasks.end'`,
  `CREATE INDEX "audit_events_resource_idx" ON "audit_events" ("resource_id", "at")`,
  `CREATE TABLE "audit_anchors" (
    "number" bigint NOT NULL,
    "at" bigint NOT NULL,
    "kind" text NOT NULL,
    "chain" text NOT NULL,
    "seq" bigint NOT NULL,
    "chain_hash" text NOT NULL,
    "previous_hash" text NOT NULL,
    "hash" text NOT NULL,
    "kid" text NOT NULL,
    "protected_header" text NOT NULL,
    "signature" text NOT NULL,
    "seal" text NOT NULL,
    CONSTRAINT "audit_anchors_pk" PRIMARY KEY ("number")
  )`,
  `CREATE INDEX "audit_anchors_chain_idx" ON "audit_anchors" ("chain", "kind", "seq")`,
];
