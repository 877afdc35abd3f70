import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last anchor of the audit log that was there when a key was revoked. */
export class RevokedAfter1700000000963 implements MigrationInterface {
  readonly name = 'RevokedAfter1700000000963';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "signing_keys" ADD COLUMN "revoked_after" bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "signing_keys" DROP COLUMN "revoked_after"');
  }
}
