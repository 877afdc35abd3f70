import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How the hub gets what proves it to an agent. */
export class AgentAuthentication1700000000800 implements MigrationInterface {
  readonly name = 'AgentAuthentication1700000000800';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "agents" ADD COLUMN "sealed_authentication" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "agents" DROP COLUMN "sealed_authentication"');
  }
}
