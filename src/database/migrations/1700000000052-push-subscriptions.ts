import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Standing subscriptions, and the number that tells every process when they changed. */
export class PushSubscriptions1700000000052 implements MigrationInterface {
  readonly name = 'PushSubscriptions1700000000052';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "push_subscription_revisions"');
    await runner.query('DROP TABLE "push_subscriptions"');
  }
}

const STATEMENTS = [
  `CREATE TABLE "push_subscriptions" (
    "id" text NOT NULL,
    "name" text,
    "source" text NOT NULL,
    "organization" text NOT NULL,
    "principal_id" text NOT NULL,
    "scope" text NOT NULL,
    "url" text NOT NULL,
    "endpoint" text NOT NULL,
    "version" text NOT NULL,
    "auth_scheme" text,
    "auth_names" text NOT NULL,
    "auth_profile" text,
    "sealed_credentials" text,
    "sealed_token" text,
    "sealed_signing_keys" text,
    "events" text NOT NULL,
    "filter" text NOT NULL,
    "fingerprint" text NOT NULL,
    "verified" smallint NOT NULL,
    "state" text NOT NULL,
    "state_reason" text,
    "unsettled" bigint,
    "created_at" bigint NOT NULL,
    "updated_at" bigint NOT NULL,
    CONSTRAINT "push_subscriptions_pk" PRIMARY KEY ("id")
  )`,
  `CREATE INDEX "push_subscriptions_organization"
    ON "push_subscriptions" ("organization", "id")`,
  `CREATE INDEX "push_subscriptions_endpoint" ON "push_subscriptions" ("endpoint")`,
  `CREATE INDEX "push_subscriptions_unsettled" ON "push_subscriptions" ("unsettled")
    WHERE "unsettled" IS NOT NULL`,
  `CREATE TABLE "push_subscription_revisions" (
    "id" smallint NOT NULL,
    "revision" bigint NOT NULL,
    CONSTRAINT "push_subscription_revisions_pk" PRIMARY KEY ("id")
  )`,
  `INSERT INTO "push_subscription_revisions" ("id", "revision") VALUES (1, 0)`,
];
