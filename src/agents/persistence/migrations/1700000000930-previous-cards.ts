import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The card that an agent had before the one in use. */
export class PreviousCards1700000000930 implements MigrationInterface {
  readonly name = 'PreviousCards1700000000930';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "previous_cards" (
      "agent_id" text NOT NULL,
      "card" text NOT NULL,
      "signature" text NOT NULL,
      "replaced_at" bigint NOT NULL,
      CONSTRAINT "previous_cards_pk" PRIMARY KEY ("agent_id")
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "previous_cards"');
  }
}
