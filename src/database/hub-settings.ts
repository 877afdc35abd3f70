import { createHmac } from 'node:crypto';
import type { IdSource } from '../common/ids.js';
import { type SecretBox, isSealed } from '../common/secret-box.js';
import type { Database } from './database.js';

/** Bytes of the secrets that page tokens, callback tokens and fingerprints are made of. */
const SECRET_BYTES = 32;
/** 128 bits: enough to tell two values apart, and all that is shown of them. */
const FINGERPRINT_DIGITS = 32;

/** Those of the values that are secret, and so sealed. */
export const SECRET_SETTINGS = [
  'page-token-secret',
  'agent-callback-secret',
  'fingerprint-secret',
  'principal-digest-secret',
] as const;
type SecretSetting = (typeof SECRET_SETTINGS)[number];

/**
 * Values this installation makes once and keeps for ever; the same in every process. Those that are
 * secret throw `SecretLockedError` while their key is missing.
 */
export class HubSettings {
  private readonly known = new Map<string, string>();
  private readonly opened = new Map<string, string>();

  constructor(
    private readonly database: Database,
    private readonly ids: IdSource,
    private readonly secrets: SecretBox,
  ) {}

  /** This hub's own id, by which it recognises itself in cards and hops. */
  instanceId(): Promise<string> {
    return this.once('instance-id', () => this.ids.next());
  }

  /** The key that signs the page tokens of lists, so that they hold in every process. */
  pageTokenSecret(): Promise<string> {
    return this.secret('page-token-secret');
  }

  /** What the tokens are made of by which agents prove themselves when they call back. */
  callbackSecret(): Promise<string> {
    return this.secret('agent-callback-secret');
  }

  /** What the digests are made with that stand for principals in logs. */
  principalDigestKey(): Promise<string> {
    return this.secret('principal-digest-secret');
  }

  /**
   * Distinguishes two lists of values without revealing the values, also to an attacker who tries all short
   * ones: it is keyed. 32 hexadecimal digits, the same in every process and after every change of keys.
   */
  async fingerprint(values: readonly (string | null | undefined)[]): Promise<string> {
    const secret = await this.secret('fingerprint-secret');
    const digest = createHmac('sha256', secret).update(JSON.stringify(values)).digest('hex');
    return digest.slice(0, FINGERPRINT_DIGITS);
  }

  /** The stored value of `key`; made by `make` when there is none. The first process to store wins. */
  async once(key: string, make: () => string): Promise<string> {
    const known = this.known.get(key) ?? (await this.stored(key));
    if (known !== undefined) return known;
    const value = make();
    await this.database.write(function* (tx) {
      yield* tx.run(
        'INSERT INTO hub_settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING',
        [key, value],
      );
    });
    return (await this.stored(key)) ?? value;
  }

  private async secret(key: SecretSetting): Promise<string> {
    const known = this.opened.get(key);
    if (known !== undefined) return known;
    const stored = await this.once(key, () => this.secrets.seal(this.ids.secret(SECRET_BYTES)));
    // Development versions before there were keys stored the secret itself.
    const secret = isSealed(stored) ? this.secrets.open(stored) : stored;
    this.opened.set(key, secret);
    return secret;
  }

  private async stored(key: string): Promise<string | undefined> {
    const [row] = await this.database.read<{ value: string }>(
      'SELECT value FROM hub_settings WHERE key = ?',
      [key],
    );
    if (row !== undefined) this.known.set(key, row.value);
    return row?.value;
  }
}
