import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which key was made in the place of another one. */
export class RotatedKeys1700000000895 implements MigrationInterface {
  readonly name = 'RotatedKeys1700000000895';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "api_keys" ADD COLUMN "replaced_by" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "api_keys" DROP COLUMN "replaced_by"');
  }
}
