import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = [
  ['text_id', 'text'],
  ['text_size', 'integer'],
  ['held_id', 'text'],
  ['held_size', 'integer'],
] as const;

/** Large checkpoints are stored in pieces, as large texts of the log are. */
export class CheckpointTexts1700000000140 implements MigrationInterface {
  readonly name = 'CheckpointTexts1700000000140';

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, type] of COLUMNS) {
      await runner.query(`ALTER TABLE "task_checkpoints" ADD COLUMN "${name}" ${type}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [name] of COLUMNS) {
      await runner.query(`ALTER TABLE "task_checkpoints" DROP COLUMN "${name}"`);
    }
  }
}
