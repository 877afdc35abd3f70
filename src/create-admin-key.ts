import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { auditLogIn } from './audit/index.js';
import { apiKeysIn, makeAdminKey } from './auth/index.js';
import { SystemClock } from './common/clock.js';
import { SystemIdSource } from './common/ids.js';
import type { AppConfig } from './config/index.js';
import { openDatabase } from './database/open-database.js';
import { sqlitePath } from './database/data-source.js';
import { HUB_SCHEMA } from './hub-schema.js';

/**
 * Makes another admin key in the hub's database and gives it back. On PostgreSQL the hub may be running; a
 * SQLite file that a hub holds is refused with a sentence for the operator.
 */
export async function createAdminKey({
  database: settings,
  audit: auditSettings,
}: AppConfig): Promise<string> {
  if (sqlitePath(settings.url) === ':memory:') {
    throw new Error(
      'a database in memory (database.url) is the hub process itself: it keeps no key.',
    );
  }
  const path = sqlitePath(settings.url);
  if (path !== null && !existsSync(path)) {
    throw new Error(
      `there is no database ${resolve(path)} (database.url): a key is made in the one that the hub uses.`,
    );
  }
  const database = await openDatabase(settings, HUB_SCHEMA);
  try {
    const name = 'made from the shell';
    const [clock, ids] = [new SystemClock(), new SystemIdSource()];
    const audit = auditLogIn(database, clock, ids, auditSettings);
    return await makeAdminKey(apiKeysIn(database), clock, ids, name, audit, 'command line');
  } finally {
    await database.close();
  }
}
