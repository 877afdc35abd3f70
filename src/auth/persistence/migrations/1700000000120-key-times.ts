import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a key was used last, and until when it is valid. */
export class KeyTimes1700000000120 implements MigrationInterface {
  readonly name = 'KeyTimes1700000000120';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "api_keys" ADD COLUMN "last_used_at" bigint');
    await runner.query('ALTER TABLE "api_keys" ADD COLUMN "expires_at" bigint');
    await runner.query('ALTER TABLE "api_keys" ADD COLUMN "expired" smallint NOT NULL DEFAULT 0');
    await runner.query(
      `CREATE INDEX "api_keys_expires_idx" ON "api_keys" ("expires_at")
        WHERE "expires_at" IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "api_keys_expires_idx"');
    for (const column of ['expired', 'expires_at', 'last_used_at']) {
      await runner.query(`ALTER TABLE "api_keys" DROP COLUMN "${column}"`);
    }
  }
}
