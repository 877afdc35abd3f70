import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The keys the hub signs with. */
export class Signing1700000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "signing_keys" (
        "generation" integer NOT NULL,
        "kid" text NOT NULL,
        "public_key" text NOT NULL,
        "private_key" text,
        "created_at" bigint NOT NULL,
        "signs_from" bigint NOT NULL,
        "revoked_at" bigint,
        CONSTRAINT "signing_keys_pk" PRIMARY KEY ("generation")
      )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "signing_keys"');
  }
}
