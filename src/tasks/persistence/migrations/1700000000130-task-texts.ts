import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Large texts of the log, in pieces. */
export class TaskTexts1700000000130 implements MigrationInterface {
  readonly name = 'TaskTexts1700000000130';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "task_texts" (
      "task_id" text NOT NULL,
      "text_id" text NOT NULL,
      "piece" integer NOT NULL,
      "at" bigint NOT NULL,
      "text" text NOT NULL,
      CONSTRAINT "task_texts_pk" PRIMARY KEY ("task_id", "text_id", "piece")
    )`);
    await runner.query(
      'CREATE INDEX "task_texts_at_idx" ON "task_texts" ("at", "text_id") WHERE "piece" = 0',
    );
    await runner.query('ALTER TABLE "task_events" ADD COLUMN "text_id" text');
    await runner.query('ALTER TABLE "task_events" ADD COLUMN "text_size" integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "task_events" DROP COLUMN "text_size"');
    await runner.query('ALTER TABLE "task_events" DROP COLUMN "text_id"');
    await runner.query('DROP TABLE "task_texts"');
  }
}
