import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What each agent has been given and has not ended is counted for its limits. */
export class OpenDelegations1700000000851 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX "delegations_open_idx" ON "delegations" ("agent_id") WHERE "due_at" IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "delegations_open_idx"');
  }
}
