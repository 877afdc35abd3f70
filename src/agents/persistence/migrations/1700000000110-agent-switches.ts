import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What operators say of how an agent is called. */
export class AgentSwitches1700000000110 implements MigrationInterface {
  readonly name = 'AgentSwitches1700000000110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "agents" ADD COLUMN "switches" text NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "agents" DROP COLUMN "switches"');
  }
}
