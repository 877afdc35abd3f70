import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which of the agents that have had an id a delegation is for. */
export class DelegationsOfAgents1700000000962 implements MigrationInterface {
  readonly name = 'DelegationsOfAgents1700000000962';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "delegations" ADD COLUMN "agent_since" bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "delegations" DROP COLUMN "agent_since"');
  }
}
