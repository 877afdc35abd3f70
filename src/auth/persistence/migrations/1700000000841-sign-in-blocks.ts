import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who may not sign in again after their data was deleted. */
export class SignInBlocks1700000000841 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "sign_in_blocks" (
        "id" text NOT NULL,
        "created_at" bigint NOT NULL,
        CONSTRAINT "sign_in_blocks_pk" PRIMARY KEY ("id")
      )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "sign_in_blocks"');
  }
}
