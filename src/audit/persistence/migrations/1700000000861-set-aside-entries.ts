import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entries that a receiver of the audit log refuses for ever are set aside. */
export class SetAsideEntries1700000000861 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE "audit_exports" ADD COLUMN "set_aside" bigint NOT NULL DEFAULT 0',
    );
    await runner.query('ALTER TABLE "audit_exports" ADD COLUMN "last_set_aside" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "audit_exports" DROP COLUMN "last_set_aside"');
    await runner.query('ALTER TABLE "audit_exports" DROP COLUMN "set_aside"');
  }
}
