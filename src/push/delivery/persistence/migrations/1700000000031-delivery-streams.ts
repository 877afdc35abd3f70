import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Delivery streams, deliveries and attempts. */
export class DeliveryStreams1700000000031 implements MigrationInterface {
  readonly name = 'DeliveryStreams1700000000031';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await runner.query(`DROP TABLE "${table}"`);
    }
  }
}

const TABLES = ['push_attempts', 'push_deliveries', 'push_delivery_streams'] as const;

const STATEMENTS = [
  `CREATE TABLE "push_delivery_streams" (
    "id" text NOT NULL,
    "task_id" text NOT NULL,
    "webhook_uid" text NOT NULL,
    "organization" text NOT NULL,
    "endpoint" text NOT NULL,
    "active" smallint NOT NULL,
    "every_event" smallint NOT NULL,
    "next_seq" integer NOT NULL,
    "head_seq" integer NOT NULL,
    "cursor" text,
    "last_state" integer,
    "open" integer NOT NULL,
    "last_number" integer NOT NULL,
    "gap_seq" integer,
    "due_at" bigint,
    "owner" text,
    "lease_until" bigint,
    "epoch" integer NOT NULL,
    "traceparent" text,
    "state" text NOT NULL,
    "state_reason" text,
    "failing_since" bigint,
    "last_failure_at" bigint,
    "created_at" bigint NOT NULL,
    "updated_at" bigint NOT NULL,
    CONSTRAINT "push_delivery_streams_pk" PRIMARY KEY ("id")
  )`,
  `CREATE UNIQUE INDEX "push_delivery_streams_task" ON "push_delivery_streams" ("task_id", "webhook_uid")`,
  `CREATE INDEX "push_delivery_streams_webhook" ON "push_delivery_streams" ("webhook_uid", "id")`,
  `CREATE INDEX "push_delivery_streams_due" ON "push_delivery_streams" ("due_at")
    WHERE "due_at" < 1000000000000000`,
  `CREATE INDEX "push_delivery_streams_queue" ON "push_delivery_streams" ("endpoint", "due_at")
    WHERE "due_at" IS NOT NULL`,
  `CREATE INDEX "push_delivery_streams_lease" ON "push_delivery_streams" ("lease_until")`,
  `CREATE INDEX "push_delivery_streams_paused" ON "push_delivery_streams" ("id") WHERE "active" = 2`,
  `CREATE TABLE "push_deliveries" (
    "id" text NOT NULL,
    "stream_id" text NOT NULL,
    "task_id" text NOT NULL,
    "config_id" text NOT NULL,
    "endpoint" text NOT NULL,
    "organization" text NOT NULL,
    "principal_id" text NOT NULL,
    "number" integer NOT NULL,
    "seq" integer NOT NULL,
    "kind" text NOT NULL,
    "artifact_id" text,
    "webhook_id" text NOT NULL,
    "state" text NOT NULL,
    "attempts" integer NOT NULL,
    "tries" integer NOT NULL,
    "rejections" integer NOT NULL,
    "redelivered" smallint NOT NULL,
    "body" text,
    "content_type" text,
    "next_attempt_at" bigint,
    "last_status" integer,
    "reason" text,
    "created_at" bigint NOT NULL,
    "updated_at" bigint NOT NULL,
    CONSTRAINT "push_deliveries_pk" PRIMARY KEY ("id")
  )`,
  `CREATE INDEX "push_deliveries_stream" ON "push_deliveries" ("stream_id", "state", "number")`,
  `CREATE INDEX "push_deliveries_task" ON "push_deliveries" ("task_id", "id")`,
  `CREATE INDEX "push_deliveries_principal" ON "push_deliveries" ("principal_id", "id")`,
  `CREATE INDEX "push_deliveries_organization" ON "push_deliveries" ("organization", "id")`,
  `CREATE INDEX "push_deliveries_open" ON "push_deliveries" ("organization", "state", "id")
    WHERE "state" <> 'delivered'`,
  `CREATE INDEX "push_deliveries_config" ON "push_deliveries" ("config_id", "id")`,
  `CREATE INDEX "push_deliveries_shared_stream" ON "push_deliveries" ("stream_id", "id")
    WHERE "stream_id" <> "config_id"`,
  `CREATE INDEX "push_deliveries_state" ON "push_deliveries" ("state", "id")`,
  `CREATE INDEX "push_deliveries_dead" ON "push_deliveries" ("endpoint", "state", "id")
    WHERE "state" = 'dead'`,
  `CREATE TABLE "push_attempts" (
    "delivery_id" text NOT NULL,
    "number" integer NOT NULL,
    "at" bigint NOT NULL,
    "duration_ms" integer NOT NULL,
    "status" integer,
    "error" text,
    "response" text,
    CONSTRAINT "push_attempts_pk" PRIMARY KEY ("delivery_id", "number")
  )`,
  `CREATE INDEX "push_attempts_at" ON "push_attempts" ("at")`,
];
