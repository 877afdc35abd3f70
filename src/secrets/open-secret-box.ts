import { resolve } from 'node:path';
import type { Log } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.js';
import { type AppConfig, ConfigError } from '../config/index.js';
import { sqlitePath } from '../database/data-source.js';
import { keyFileOf, newKey, readKeyFile, writeKeyFile } from './key-file.js';

const NEEDED =
  'is needed with PostgreSQL, where all processes share the keys that encrypt secrets: set ' +
  'A2A_HUB__SECRETS__KEYS to an id and a key (k1:KEY) made with: openssl rand -base64 32';

/**
 * What seals and opens the secrets of the database, before anything of it is read. Throws
 * {@link ConfigError} when PostgreSQL has no key, or when the key file cannot be used.
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
  return new SecretBox(writeKeyFile(file, log));
}
