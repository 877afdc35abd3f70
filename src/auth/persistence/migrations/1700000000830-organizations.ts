import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations as objects, groups and names of principals, and where the calls of a key may come from. */
export class Organizations1700000000830 implements MigrationInterface {
  readonly name = 'Organizations1700000000830';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "organizations" (
        "id" text NOT NULL,
        "display_name" text,
        "description" text,
        "labels" text NOT NULL,
        "created_at" bigint NOT NULL,
        "disabled_at" bigint,
        CONSTRAINT "organizations_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(
      `INSERT INTO "organizations" ("id", "labels", "created_at")
        SELECT "organization", '{}', MIN("created_at") FROM "principals" GROUP BY "organization"`,
    );
    for (const column of [
      '"display_name" text',
      `"groups" text NOT NULL DEFAULT '[]'`,
      '"organization_disabled_at" bigint',
    ]) {
      await runner.query(`ALTER TABLE "principals" ADD COLUMN ${column}`);
    }
    for (const column of ['allowed_networks', 'allowed_origins']) {
      await runner.query(
        `ALTER TABLE "api_keys" ADD COLUMN "${column}" text NOT NULL DEFAULT '[]'`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of ['allowed_origins', 'allowed_networks']) {
      await runner.query(`ALTER TABLE "api_keys" DROP COLUMN "${column}"`);
    }
    for (const column of ['organization_disabled_at', 'groups', 'display_name']) {
      await runner.query(`ALTER TABLE "principals" DROP COLUMN "${column}"`);
    }
    await runner.query('DROP TABLE "organizations"');
  }
}
