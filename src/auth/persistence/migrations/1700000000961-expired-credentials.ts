import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds credentials that are noted as expired too early. */
export class ExpiredCredentials1700000000961 implements MigrationInterface {
  readonly name = 'ExpiredCredentials1700000000961';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX "api_keys_expired_idx" ON "api_keys" ("expires_at") WHERE "expired" = 1',
    );
    await runner.query(
      'CREATE INDEX "identities_expired_idx" ON "identities" ("expires_at") WHERE "expired" = 1',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "identities_expired_idx"');
    await runner.query('DROP INDEX "api_keys_expired_idx"');
  }
}
