import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Levels of the log that operators set while the hub runs. */
export class LogLevels1700000000910 implements MigrationInterface {
  readonly name = 'LogLevels1700000000910';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "log_levels" (
      "module" text NOT NULL,
      "level" text NOT NULL,
      "ends_at" bigint NOT NULL,
      CONSTRAINT "log_levels_pk" PRIMARY KEY ("module")
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "log_levels"');
  }
}
