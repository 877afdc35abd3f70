import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../src/database/database.js';
import { openDatabase } from '../../src/database/open-database.js';
import { HUB_SCHEMA } from '../../src/hub-schema.js';

/** A folder of the whole run, which Jest makes before the tests and removes after them. */
function runFolder(): string {
  const folder = process.env['TEST_RUN_FOLDER'];
  if (folder === undefined) throw new Error('Jest has made no folder for this run');
  return folder;
}

/**
 * Puts a database with the hub's schema at `path`, where there is none yet: a copy of one that the first test file
 * of the run made, for a copy is far quicker than the migrations.
 */
export async function copyMigratedSqlite(path: string): Promise<void> {
  const folder = runFolder();
  const template = join(folder, 'hub-template.db');
  if (!existsSync(template)) await makeTemplate(folder, template);
  copyFileSync(template, path);
}

/** A database of its own with the hub's schema, which is removed with the run. */
export async function migratedSqlite(): Promise<Database> {
  const path = join(mkdtempSync(join(runFolder(), 'hub-')), 'hub.db');
  await copyMigratedSqlite(path);
  return open(path);
}

/** Several processes may do so at once; each has a whole one in its place. */
async function makeTemplate(folder: string, template: string): Promise<void> {
  const own = mkdtempSync(join(folder, 'template-'));
  const unfinished = join(own, 'hub.db');
  const database = await open(unfinished);
  await database.close();
  renameSync(unfinished, template);
  rmSync(own, { recursive: true });
}

function open(path: string): Promise<Database> {
  return openDatabase({ url: `sqlite:${path}`, synchronous: 'normal' }, HUB_SCHEMA);
}
