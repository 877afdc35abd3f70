import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the exports of the audit log have come. */
export class AuditExport1700000000860 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "audit_export_places"');
    await runner.query('DROP TABLE "audit_exports"');
  }
}

const STATEMENTS = [
  `CREATE TABLE "audit_exports" (
    "id" text NOT NULL,
    "owner" text,
    "leased_until" bigint,
    "sent" bigint NOT NULL,
    "missed" bigint NOT NULL,
    "failures" integer NOT NULL,
    "last_error" text,
    "last_error_at" bigint,
    "last_sent_at" bigint,
    "next_attempt_at" bigint,
    CONSTRAINT "audit_exports_pk" PRIMARY KEY ("id")
  )`,
  `CREATE TABLE "audit_export_places" (
    "export_id" text NOT NULL,
    "chain" text NOT NULL,
    "seq" bigint NOT NULL,
    CONSTRAINT "audit_export_places_pk" PRIMARY KEY ("export_id", "chain")
  )`,
];
