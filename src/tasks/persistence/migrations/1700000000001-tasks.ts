import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withoutRowid } from '../../../database/dialect.js';

/** Tasks, their log, their delegations; idempotency keys. */
export class Tasks1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [
      ...taskTables(withoutRowid(runner)),
      ...delegationTables(withoutRowid(runner)),
    ]) {
      await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'idempotency_keys',
      'delegations',
      'task_checkpoints',
      'task_events',
      'tasks',
    ]) {
      await runner.query(`DROP TABLE "${table}"`);
    }
  }
}

const taskTables = (clustered: string): string[] => [
  `CREATE TABLE "tasks" (
    "id" text NOT NULL,
    "context_id" text NOT NULL,
    "principal_id" text NOT NULL,
    "organization" text NOT NULL,
    "state" smallint NOT NULL,
    "status_at" bigint NOT NULL,
    "seq" integer NOT NULL,
    "version" integer NOT NULL,
    "checkpoint_seq" integer NOT NULL,
    "cancel_requested_at" bigint,
    "cancel_metadata" text,
    "deadline_at" bigint,
    "due_at" bigint,
    "route" text NOT NULL,
    "allow_reply" smallint NOT NULL,
    "every_event" smallint NOT NULL DEFAULT 0,
    "stored_bytes" bigint NOT NULL DEFAULT 0,
    "traceparent" text,
    "request" text,
    "created_at" bigint NOT NULL,
    "updated_at" bigint NOT NULL,
    CONSTRAINT "tasks_pk" PRIMARY KEY ("id")
  )${clustered}`,
  `CREATE INDEX "tasks_principal_idx"
    ON "tasks" ("principal_id", "organization", "state", "status_at", "id")`,
  `CREATE INDEX "tasks_organization_idx" ON "tasks" ("organization", "state", "status_at", "id")`,
  `CREATE INDEX "tasks_state_idx" ON "tasks" ("state", "status_at", "id")`,
  `CREATE INDEX "tasks_context_idx" ON "tasks"
    ("context_id", "principal_id", "organization", "created_at")`,
  `CREATE INDEX "tasks_due_idx" ON "tasks" ("due_at") WHERE "due_at" IS NOT NULL`,
  `CREATE TABLE "task_events" (
    "task_id" text NOT NULL,
    "seq" integer NOT NULL,
    "kind" text NOT NULL,
    "at" bigint NOT NULL,
    "header" text,
    "body" text NOT NULL,
    CONSTRAINT "task_events_pk" PRIMARY KEY ("task_id", "seq")
  )${clustered}`,
  `CREATE TABLE "task_checkpoints" (
    "task_id" text NOT NULL,
    "seq" integer NOT NULL,
    "body" text NOT NULL,
    "held" text,
    CONSTRAINT "task_checkpoints_pk" PRIMARY KEY ("task_id", "seq")
  )${clustered}`,
];

const delegationTables = (clustered: string): string[] => [
  `CREATE TABLE "delegations" (
    "id" text NOT NULL,
    "task_id" text NOT NULL,
    "position" integer NOT NULL,
    "step" integer NOT NULL,
    "agent_id" text NOT NULL,
    "agent_name" text NOT NULL,
    "organization" text NOT NULL,
    "principal_id" text NOT NULL,
    "skill_id" text,
    "state" text NOT NULL,
    "message_seq" integer NOT NULL,
    "calls" integer NOT NULL,
    "downstream_task_id" text,
    "downstream_context_id" text,
    "fallbacks" text NOT NULL,
    "progress" text NOT NULL,
    "reason" text,
    "cancel_pending" smallint NOT NULL,
    "epoch" integer NOT NULL,
    "owner" text,
    "lease_until" bigint,
    "claimable_at" bigint,
    "turn_at" bigint NOT NULL,
    "deadline_at" bigint NOT NULL,
    "due_at" bigint,
    "begun_at" bigint,
    "created_at" bigint NOT NULL,
    "updated_at" bigint NOT NULL,
    CONSTRAINT "delegations_pk" PRIMARY KEY ("id")
  )${clustered}`,
  `CREATE INDEX "delegations_task_idx" ON "delegations" ("task_id", "position")`,
  `CREATE INDEX "delegations_agent_idx" ON "delegations" ("agent_id", "task_id")`,
  `CREATE INDEX "delegations_downstream_idx" ON "delegations" ("downstream_task_id")
    WHERE "downstream_task_id" IS NOT NULL`,
  `CREATE INDEX "delegations_claim_idx" ON "delegations"
      ("claimable_at", "cancel_pending", "agent_id", "organization", "turn_at", "id")
    WHERE "claimable_at" IS NOT NULL`,
  `CREATE INDEX "delegations_due_idx" ON "delegations" ("due_at") WHERE "due_at" IS NOT NULL`,
  `CREATE INDEX "delegations_owner_idx" ON "delegations" ("owner") WHERE "owner" IS NOT NULL`,
  `CREATE TABLE "idempotency_keys" (
    "principal_id" text NOT NULL,
    "key" text NOT NULL,
    "task_id" text NOT NULL,
    "fingerprint" text NOT NULL,
    "expires_at" bigint,
    CONSTRAINT "idempotency_keys_pk" PRIMARY KEY ("principal_id", "key")
  )${clustered}`,
];
