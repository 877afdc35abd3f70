import { resolve } from 'node:path';
import type { Log } from '../common/logger.js';
import { SecretBox, SecretLockedError, sealedBy } from '../common/secret-box.js';
import { type AppConfig, ConfigError } from '../config/index.js';
import { sqlitePath } from '../database/data-source.js';
import type { Schema } from '../database/schema.js';
import { sealedValuesIn } from '../database/sealing-keys.js';
import { keyFileOf, newKey, readKeyFile, writeKeyFile } from './key-file.js';

const NEEDED =
  'is needed with PostgreSQL, where all processes share the keys that encrypt secrets: set ' +
  'A2A_HUB__SECRETS__KEYS to an id and a key (k1:KEY) made with: openssl rand -base64 32';

/** The way out that is always there. */
const GIVE_UP =
  'Without it those secrets cannot be decrypted; to give them up, set secrets.keys to a new key (docs/secrets.md)';

/**
 * What seals and opens the secrets of the database, before anything of it is read. Throws
 * {@link ConfigError} when PostgreSQL has no key, when the key file cannot be used, or when it is missing or another one
 * although the database holds secrets: a backup was restored without it. With keys of the configuration the hub
 * starts all the same: what it cannot open waits.
 */
export function openSecretBox(
  {
    secrets,
    database,
  }: Pick<AppConfig, 'database'> & { readonly secrets: Pick<AppConfig['secrets'], 'keys'> },
  schema: Schema,
  log: Log,
): SecretBox {
  const path = sqlitePath(database.url);
  if (path === null) {
    if (secrets.keys.length > 0) return new SecretBox(secrets.keys);
    throw new ConfigError([{ key: 'secrets.keys', source: 'default', text: NEEDED }]);
  }
  if (path === ':memory:') {
    return new SecretBox(secrets.keys.length > 0 ? secrets.keys : [newKey()]);
  }
  const file = keyFileOf(resolve(path));
  const kept = readKeyFile(file, log);
  // With keys of the configuration those of the file only open, until they are needed no more.
  if (secrets.keys.length > 0) return new SecretBox([...secrets.keys, ...kept]);
  const stored = sealedValuesIn(resolve(path), schema);
  if (kept.length > 0) return fitting(new SecretBox(kept), stored, file);
  const needed = [...new Set(stored.map(sealedBy))];
  if (needed.length > 0) {
    const had = `the database holds secrets under ${needed.join(', ')}, which it had`;
    throw unusable(file, `is not there, but ${had}: bring the file back from a backup. ${GIVE_UP}`);
  }
  return new SecretBox(writeKeyFile(file, log));
}

/** The box, unless there is a key id of which it opens no value: single ones may have been damaged. */
function fitting(box: SecretBox, stored: readonly string[], file: string): SecretBox {
  const open = new Set(stored.filter((value) => opens(box, value)).map(sealedBy));
  const ids = [...new Set(stored.map(sealedBy))].filter((id) => !open.has(id));
  if (ids.length === 0) return box;
  const isOther = ids.some((id) => id !== null && box.keyIds.includes(id));
  const has = `has ${isOther ? 'another key under that id' : `the key ${box.keyIds.join(', ')}`}`;
  const text = `is not the file that belongs to this database: the database holds secrets under ${ids.join(', ')}, and the file ${has}. Bring back the one of this database from a backup, or set database.url to the database that this one belongs to. ${GIVE_UP}`;
  throw unusable(file, text);
}

function opens(box: SecretBox, value: string): boolean {
  try {
    box.open(value);
    return true;
  } catch (error) {
    if (error instanceof SecretLockedError) return false;
    throw error;
  }
}

function unusable(file: string, text: string): ConfigError {
  return new ConfigError([{ key: file, source: 'file', text }]);
}
