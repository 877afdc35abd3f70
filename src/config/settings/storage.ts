import { maskedDatabaseUrl } from '../../common/database-url.js';
import { choice, size, text } from '../setting-kinds.js';
import { Section } from '../setting.js';
import { secretKeys } from '../secret-keys.js';
import { passwordsIn } from '../secret-texts.js';
import { MIB } from '../units.js';
import { SECRET_REFERENCE_SETTINGS } from './secret-references.js';

/** Where the hub keeps its data, and how secrets in it are encrypted. */
export const STORAGE_SETTINGS = {
  database: new Section('The database of the hub.', {
    url: text({
      default: 'sqlite:data/hub.db',
      pattern: /^(sqlite:.+|postgres(ql)?:\/\/.+)$/,
      allowed: 'sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME',
      description:
        'SQLite in a file (one process; the path is relative to the working directory) or PostgreSQL.',
      secret: true,
      mask: maskedDatabaseUrl,
      ownSecrets: (url) => (url.startsWith('sqlite:') ? [] : [url, ...passwordsIn(url)]),
    }),
    synchronous: choice(['full', 'normal'], {
      default: 'full',
      description:
        'SQLite only. full survives a power cut; normal survives a crash of the process and is faster.',
    }),
    minFree: size({
      min: 0,
      max: 1024 * 1024 * MIB,
      default: 512 * MIB,
      description:
        'SQLite only. The least free space, on the disk and inside the file together; below it new tasks and messages are refused, so that running tasks can still end. 0B for no limit.',
    }),
  }),

  secrets: new Section(
    'How the secrets in the database are encrypted, and where others are kept; docs/secrets.md.',
    {
      keys: secretKeys({
        default: [],
        description:
          'Keys that encrypt them (AES-256-GCM), each ID:KEY with 32 bytes as base64 (openssl rand -base64 32) or env:NAME, file:PATH. The first key encrypts, all of them decrypt. Required with PostgreSQL. Empty on SQLite: a key is created at the first start, in a file beside the database.',
      }),
      ...SECRET_REFERENCE_SETTINGS,
    },
  ),
} as const;
