import { realPathOf } from '../../common/real-path.js';
import { type AppConfig, ownSecrets } from '../../config/index.js';
import { adminKeyFileOf } from '../../database/admin-key-file-of.js';

/** Shorter ones are looked for as whole values only: they are in many others by chance. */
const LEAST_PART = 12;

/** What the hub is kept safe by, in its settings and in files that they name. */
export class OwnSecrets {
  private readonly texts: readonly string[];
  /** They are read again when they change, so the settings do not have what is in them. */
  private readonly files: readonly string[];

  constructor(config: AppConfig) {
    const { server, grpc, database, secrets } = config;
    const { tokenFile, secretIdFile, jwtFile } = secrets.vault.auth;
    this.texts = ownSecrets(config)
      .map(withoutSpace)
      .filter((text) => text !== '');
    this.files = [
      ...[server.tls.key?.file ?? null, grpc.tlsKey?.file ?? null],
      ...[tokenFile, secretIdFile, jwtFile, adminKeyFileOf(database.url)],
    ].filter((file) => file !== null);
  }

  /** Whether a value holds one of them. */
  isIn(value: string): boolean {
    const bare = withoutSpace(value);
    return this.texts.some((text) =>
      text.length < LEAST_PART ? bare === text : bare.includes(text),
    );
  }

  /** Whether it is one of the files, by its path behind all links. */
  isFile(real: string): boolean {
    return this.files.some((file) => realPathOf(file) === real);
  }
}

/** PEM is the same however its lines are broken, in JSON as well. */
function withoutSpace(text: string): string {
  return text.replace(/\s+|\\[rn]/g, '');
}
