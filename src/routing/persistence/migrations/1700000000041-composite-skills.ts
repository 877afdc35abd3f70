import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Composite skills, all their versions, and the number that tells every process when they changed. */
export class CompositeSkills1700000000041 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "composite_skills" (
        "id" text NOT NULL,
        "version" integer NOT NULL,
        "definition" text NOT NULL,
        "source" text NOT NULL,
        "created_at" bigint NOT NULL,
        "updated_at" bigint NOT NULL,
        "deleted_at" bigint,
        CONSTRAINT "composite_skills_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(
      `CREATE TABLE "composite_skill_versions" (
        "id" text NOT NULL,
        "version" integer NOT NULL,
        "definition" text NOT NULL,
        "source" text NOT NULL,
        "created_at" bigint NOT NULL,
        CONSTRAINT "composite_skill_versions_pk" PRIMARY KEY ("id", "version")
      )`,
    );
    await runner.query(
      `CREATE TABLE "composite_skill_revisions" (
        "id" smallint NOT NULL,
        "revision" bigint NOT NULL,
        CONSTRAINT "composite_skill_revisions_pk" PRIMARY KEY ("id")
      )`,
    );
    await runner.query(`INSERT INTO "composite_skill_revisions" ("id", "revision") VALUES (1, 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "composite_skill_revisions"');
    await runner.query('DROP TABLE "composite_skill_versions"');
    await runner.query('DROP TABLE "composite_skills"');
  }
}
