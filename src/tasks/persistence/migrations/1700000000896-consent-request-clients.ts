import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which client and servers a user is asked for: answers to others are not taken. */
export class ConsentRequestClients1700000000896 implements MigrationInterface {
  readonly name = 'ConsentRequestClients1700000000896';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "consent_requests" ADD COLUMN "client" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "consent_requests" DROP COLUMN "client"');
  }
}
