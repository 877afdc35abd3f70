import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The health of webhook endpoints, and their events. */
export class PushEndpoints1700000000053 implements MigrationInterface {
  readonly name = 'PushEndpoints1700000000053';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['push_event_counter', 'push_events', 'push_endpoints']) {
      await runner.query(`DROP TABLE "${table}"`);
    }
  }
}

const STATEMENTS = [
  `CREATE TABLE "push_endpoints" (
    "endpoint" text NOT NULL,
    "organization" text NOT NULL,
    "state" text NOT NULL,
    "failures" integer NOT NULL,
    "concurrency" integer NOT NULL,
    "opened_at" bigint,
    "probe_at" bigint,
    "probe_until" bigint,
    "probes" integer NOT NULL,
    "ready_at" bigint,
    "enqueues" integer NOT NULL,
    "requeue_before" bigint,
    "failing_since" bigint,
    "disabled_at" bigint,
    "disable_cursor" text,
    "last_success_at" bigint,
    "last_failure_at" bigint,
    "last_error" text,
    "created_at" bigint NOT NULL,
    "updated_at" bigint NOT NULL,
    CONSTRAINT "push_endpoints_pk" PRIMARY KEY ("endpoint")
  )`,
  `CREATE INDEX "push_endpoints_organization" ON "push_endpoints" ("organization", "endpoint")`,
  `CREATE INDEX "push_endpoints_ready" ON "push_endpoints" ("ready_at")
    WHERE "ready_at" IS NOT NULL`,
  `CREATE INDEX "push_endpoints_ready_proven" ON "push_endpoints" ("ready_at")
    WHERE "ready_at" IS NOT NULL AND "failures" = 0 AND "probe_at" IS NULL AND "disable_cursor" IS NULL AND "last_success_at" IS NOT NULL`,
  `CREATE INDEX "push_endpoints_turn_proven" ON "push_endpoints" ("organization", "ready_at")
    WHERE "ready_at" IS NOT NULL AND "failures" = 0 AND "probe_at" IS NULL AND "disable_cursor" IS NULL AND "last_success_at" IS NOT NULL`,
  `CREATE INDEX "push_endpoints_ready_new" ON "push_endpoints" ("ready_at")
    WHERE "ready_at" IS NOT NULL AND "failures" = 0 AND "probe_at" IS NULL AND "disable_cursor" IS NULL AND "last_success_at" IS NULL`,
  `CREATE INDEX "push_endpoints_turn_new" ON "push_endpoints" ("organization", "ready_at")
    WHERE "ready_at" IS NOT NULL AND "failures" = 0 AND "probe_at" IS NULL AND "disable_cursor" IS NULL AND "last_success_at" IS NULL`,
  `CREATE INDEX "push_endpoints_ready_failing" ON "push_endpoints" ("ready_at")
    WHERE "ready_at" IS NOT NULL AND ("failures" > 0 OR "probe_at" IS NOT NULL) AND "disable_cursor" IS NULL`,
  `CREATE INDEX "push_endpoints_turn_failing" ON "push_endpoints" ("organization", "ready_at")
    WHERE "ready_at" IS NOT NULL AND ("failures" > 0 OR "probe_at" IS NOT NULL) AND "disable_cursor" IS NULL`,
  `CREATE INDEX "push_endpoints_disabling" ON "push_endpoints" ("disable_cursor")
    WHERE "disable_cursor" IS NOT NULL`,
  `CREATE TABLE "push_events" (
    "id" bigint NOT NULL,
    "at" bigint NOT NULL,
    "type" text NOT NULL,
    "organization" text NOT NULL,
    "principal_id" text,
    "endpoint" text NOT NULL,
    "task_id" text,
    "config_id" text,
    "reason" text,
    "since" bigint,
    CONSTRAINT "push_events_pk" PRIMARY KEY ("id")
  )`,
  `CREATE INDEX "push_events_organization" ON "push_events" ("organization", "id")`,
  `CREATE INDEX "push_events_at" ON "push_events" ("at")`,
  `CREATE TABLE "push_event_counter" (
    "id" smallint NOT NULL,
    "last" bigint NOT NULL,
    CONSTRAINT "push_event_counter_pk" PRIMARY KEY ("id")
  )`,
  `INSERT INTO "push_event_counter" ("id", "last") VALUES (1, 0)`,
];
