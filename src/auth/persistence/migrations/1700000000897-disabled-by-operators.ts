import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which principals an operator of all organizations has disabled. */
export class DisabledByOperators1700000000897 implements MigrationInterface {
  readonly name = 'DisabledByOperators1700000000897';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE "principals" ADD COLUMN "disabled_by_operator" smallint NOT NULL DEFAULT 0',
    );
    // Nobody knows who it was.
    await runner.query(
      'UPDATE "principals" SET "disabled_by_operator" = 1 WHERE "disabled_at" IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "principals" DROP COLUMN "disabled_by_operator"');
  }
}
