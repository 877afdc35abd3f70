import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../../../database/dialect.js';

/** Access tokens that the callers of tasks came with. */
export class TaskTokens1700000000810 implements MigrationInterface {
  readonly name = 'TaskTokens1700000000810';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "task_tokens" (
      "task_id" text NOT NULL,
      "issuer_id" text NOT NULL,
      "expires_at" bigint NOT NULL,
      "sealed_token" text NOT NULL,
      CONSTRAINT "task_tokens_pk" PRIMARY KEY ("task_id")
    )${withoutRowid(runner)}`);
    await runner.query('CREATE INDEX "task_tokens_expires_idx" ON "task_tokens" ("expires_at")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "task_tokens"');
  }
}
