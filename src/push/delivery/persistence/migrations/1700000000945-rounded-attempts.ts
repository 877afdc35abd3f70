import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Attempts of which it is known in whole seconds only how long they took. Of those before it is not known. */
export class RoundedAttempts1700000000945 implements MigrationInterface {
  readonly name = 'RoundedAttempts1700000000945';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE "push_attempts" ADD COLUMN "rounded" smallint NOT NULL DEFAULT 0',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "push_attempts" DROP COLUMN "rounded"');
  }
}
