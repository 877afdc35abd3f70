import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhooks, and the number by which processes see that a subscription has changed. */
export class Webhooks1700000000030 implements MigrationInterface {
  readonly name = 'Webhooks1700000000030';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await runner.query(`DROP TABLE "${table}"`);
    }
  }
}

const TABLES = ['push_webhook_revisions', 'push_webhooks'] as const;

const STATEMENTS = [
  `CREATE TABLE "push_webhooks" (
    "id" text NOT NULL,
    "scope" text NOT NULL,
    "organization" text NOT NULL,
    "principal_id" text NOT NULL,
    "set_by" text,
    "task_id" text,
    "config_id" text,
    "name" text,
    "source" text NOT NULL,
    "filter" text,
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
    "fingerprint" text NOT NULL,
    "verified" smallint NOT NULL,
    "state" text NOT NULL,
    "state_reason" text,
    "reconcile_revision" bigint,
    "created_at" bigint NOT NULL,
    "updated_at" bigint NOT NULL,
    CONSTRAINT "push_webhooks_pk" PRIMARY KEY ("id")
  )`,
  `CREATE UNIQUE INDEX "push_webhooks_task" ON "push_webhooks" ("task_id", "config_id")`,
  `CREATE INDEX "push_webhooks_principal" ON "push_webhooks" ("principal_id", "id")`,
  `CREATE INDEX "push_webhooks_set_by" ON "push_webhooks" ("set_by", "id")
    WHERE "set_by" IS NOT NULL`,
  `CREATE INDEX "push_webhooks_organization" ON "push_webhooks" ("organization", "id")`,
  `CREATE INDEX "push_webhooks_endpoint" ON "push_webhooks" ("endpoint", "id")`,
  `CREATE INDEX "push_webhooks_state" ON "push_webhooks" ("state", "id")
    WHERE "state" <> 'active'`,
  `CREATE INDEX "push_webhooks_subscription" ON "push_webhooks" ("organization", "id")
    WHERE "scope" <> 'task'`,
  `CREATE INDEX "push_webhooks_subscription_id" ON "push_webhooks" ("id")
    WHERE "scope" <> 'task'`,
  `CREATE INDEX "push_webhooks_subscription_principal" ON "push_webhooks" ("principal_id", "id")
    WHERE "scope" <> 'task'`,
  `CREATE INDEX "push_webhooks_subscription_endpoint" ON "push_webhooks" ("endpoint", "id")
    WHERE "scope" <> 'task'`,
  `CREATE INDEX "push_webhooks_stale" ON "push_webhooks" ("reconcile_revision")
    WHERE "reconcile_revision" IS NOT NULL`,
  `CREATE TABLE "push_webhook_revisions" (
    "id" smallint NOT NULL,
    "revision" bigint NOT NULL,
    CONSTRAINT "push_webhook_revisions_pk" PRIMARY KEY ("id")
  )`,
  `INSERT INTO "push_webhook_revisions" ("id", "revision") VALUES (1, 0)`,
];
