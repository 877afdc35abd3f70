import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * From here on texts of the log, of delegations and of the audit log are kept in the short form of `ShortTexts`, which versions
 * before cannot read. Nothing of the schema changes, and rows that are there stay as they are.
 */
export class ShortTexts1700000000959 implements MigrationInterface {
  readonly name = 'ShortTexts1700000000959';

  up(): Promise<void> {
    return Promise.resolve();
  }

  async down(runner: QueryRunner): Promise<void> {
    const rows: unknown = await runner.query(
      `SELECT 1 AS n WHERE EXISTS (SELECT 1 FROM "tasks") OR EXISTS (SELECT 1 FROM "audit_events")`,
    );
    if (!Array.isArray(rows) || rows.length > 0)
      throw new Error('an older version cannot read what is stored: restore the backup instead');
  }
}
