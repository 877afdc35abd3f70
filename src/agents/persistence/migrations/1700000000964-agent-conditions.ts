import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../../../database/dialect.js';

/** How processes have seen agents, for each other. */
export class AgentConditions1700000000964 implements MigrationInterface {
  readonly name = 'AgentConditions1700000000964';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "agent_conditions" (
      "process" text NOT NULL,
      "agent_id" text NOT NULL,
      "revision" bigint NOT NULL,
      "version" bigint NOT NULL,
      "health" text NOT NULL,
      "breaker" text NOT NULL,
      "verdict" text NOT NULL,
      "since" bigint,
      "last_error" text,
      CONSTRAINT "agent_conditions_pk" PRIMARY KEY ("process", "agent_id")
    )${withoutRowid(runner)}`);
    await runner.query(
      'CREATE INDEX "agent_conditions_version_idx" ON "agent_conditions" ("process", "version")',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "agent_conditions"');
  }
}
