import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The operator's routing rules, and the number that tells every process when they changed. */
export class RoutingRules1700000000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "routing_rules" (
        "id" text NOT NULL,
        "position" integer NOT NULL,
        "name" text NOT NULL,
        "enabled" smallint NOT NULL,
        "conditions" text NOT NULL,
        "target" text NOT NULL,
        "created_at" bigint NOT NULL,
        "updated_at" bigint NOT NULL,
        CONSTRAINT "routing_rules_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(
      `CREATE TABLE "routing_rule_revisions" (
        "id" smallint NOT NULL,
        "revision" bigint NOT NULL,
        CONSTRAINT "routing_rule_revisions_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(`INSERT INTO "routing_rule_revisions" ("id", "revision") VALUES (1, 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "routing_rule_revisions"');
    await runner.query('DROP TABLE "routing_rules"');
  }
}
