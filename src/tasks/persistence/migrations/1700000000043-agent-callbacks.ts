import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../../../database/dialect.js';

/** Callbacks of agents on their way to the process that runs the delegation. */
export class AgentCallbacks1700000000043 implements MigrationInterface {
  readonly name = 'AgentCallbacks1700000000043';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "agent_callbacks" (
      "delegation_id" text NOT NULL,
      "at" bigint NOT NULL,
      CONSTRAINT "agent_callbacks_pk" PRIMARY KEY ("delegation_id")
    )${withoutRowid(runner)}`);
    await runner.query('CREATE INDEX "agent_callbacks_at_idx" ON "agent_callbacks" ("at")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "agent_callbacks"');
  }
}
