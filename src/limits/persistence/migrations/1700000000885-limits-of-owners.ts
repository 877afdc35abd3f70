import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whose a limit or a counter is, its text begins with: on PostgreSQL that is found by an index in the order of characters. On
 * SQLite every index is.
 */
export class LimitsOfOwners1700000000885 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    if (runner.dataSource.options.type !== 'postgres') return;
    await runner.query(
      `CREATE INDEX "limits_subject_characters" ON "limits" ("subject" COLLATE "C")`,
    );
    await runner.query(
      `CREATE INDEX "limit_counters_characters" ON "limit_counters" ("counter" COLLATE "C")`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    if (runner.dataSource.options.type !== 'postgres') return;
    await runner.query('DROP INDEX "limit_counters_characters"');
    await runner.query('DROP INDEX "limits_subject_characters"');
  }
}
