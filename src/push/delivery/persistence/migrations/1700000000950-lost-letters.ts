import type { MigrationInterface, QueryRunner } from 'typeorm';

/** As `lost-letters.ts` says it. */
const LOST = `state = 'dead' AND kind <> 'test'
  AND COALESCE(reason, '') NOT IN ('the webhook was deleted', 'the subscription was deleted', 'a replay sends it again as a new delivery')
  AND COALESCE(reason, '') NOT LIKE 'the webhook was deleted: entries %'
  AND COALESCE(reason, '') NOT LIKE 'the subscription was deleted: entries %'
  AND COALESCE(reason, '') NOT LIKE 'a replay sends it again as a new delivery: entries %'`;

/** Lost events are counted by the time they were given up, without what the owner of a webhook ended. */
export class LostLetters1700000000950 implements MigrationInterface {
  readonly name = 'LostLetters1700000000950';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX "push_deliveries_lost" ON "push_deliveries" ("state", "updated_at") WHERE ${LOST} AND id <> ''`,
    );
    await runner.query(
      `CREATE INDEX "push_deliveries_lost_of" ON "push_deliveries" ("organization", "state", "updated_at") WHERE ${LOST}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "push_deliveries_lost_of"');
    await runner.query('DROP INDEX "push_deliveries_lost"');
  }
}
