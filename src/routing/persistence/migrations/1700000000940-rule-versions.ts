import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every version of the routing rules. Of those there are, what they are now is the first. */
export class RuleVersions1700000000940 implements MigrationInterface {
  readonly name = 'RuleVersions1700000000940';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE "routing_rules" ADD COLUMN "version" integer NOT NULL DEFAULT 1',
    );
    await runner.query(
      `CREATE TABLE "routing_rule_versions" (
        "id" text NOT NULL,
        "version" integer NOT NULL,
        "name" text NOT NULL,
        "enabled" smallint NOT NULL,
        "conditions" text NOT NULL,
        "target" text NOT NULL,
        "source" text NOT NULL,
        "created_at" bigint NOT NULL,
        CONSTRAINT "routing_rule_versions_pk" PRIMARY KEY ("id", "version")
      )`,
    );
    await runner.query(
      `INSERT INTO "routing_rule_versions"
         ("id", "version", "name", "enabled", "conditions", "target", "source", "created_at")
       SELECT "id", 1, "name", "enabled", "conditions", "target", 'api', "updated_at"
       FROM "routing_rules"`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "routing_rule_versions"');
    await runner.query('ALTER TABLE "routing_rules" DROP COLUMN "version"');
  }
}
