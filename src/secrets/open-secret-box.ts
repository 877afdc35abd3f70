import { resolve } from 'node:path';
import type { Log } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.js';
import { type AppConfig, ConfigError } from '../config/index.js';
import { sqlitePath } from '../database/data-source.js';
import { sealingKeysIn } from '../database/sealing-keys.js';
import { keyFileOf, newKey, readKeyFile, writeKeyFile } from './key-file.js';

const NEEDED =
  'is needed with PostgreSQL, where all processes share the keys that encrypt secrets: set ' +
  'A2A_HUB__SECRETS__KEYS to an id and a key (k1:KEY) made with: openssl rand -base64 32';

/**
 * What seals and opens the secrets of the database, before anything of it is read. Throws
 * {@link ConfigError} when PostgreSQL has no key, when the key file cannot be used, or when it is missing although
 * the database holds secrets: a backup was restored without it.
 */
export function openSecretBox(
  { secrets, database }: Pick<AppConfig, 'secrets' | 'database'>,
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
  if (secrets.keys.length + kept.length > 0) return new SecretBox([...secrets.keys, ...kept]);
  const needed = sealingKeysIn(resolve(path));
  if (needed.length > 0) throw missing(file, needed);
  return new SecretBox(writeKeyFile(file, log));
}

function missing(file: string, needed: readonly string[]): ConfigError {
  const text = `is not there, but the database holds secrets under ${needed.join(', ')}, which it had: bring the file back from a backup. Without it those secrets stay closed; who gives them up sets secrets.keys to a new key (docs/secrets.md)`;
  return new ConfigError([{ key: file, source: 'file', text }]);
}
