import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { HubError } from './hub-error.js';

/** A value that is not encrypted, as databases of before there were keys have them. */
const PLAIN = 'plain:';
/** AES-256-GCM: `v1:<key id>:<base64url of IV, ciphertext and tag>`. */
const FORM = 'v1';
const SEALED = /^v1:([A-Za-z0-9._-]{1,64}):([A-Za-z0-9_-]*)$/;
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/** Random ones of 96 bits: good for 2^32 values under one key (NIST SP 800-38D §8.3). */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** One key that secrets are encrypted with. */
export interface SecretKey {
  /** 1 to 64 of `A-Z a-z 0-9 . _ -`; it is stored with every value the key seals. */
  readonly id: string;
  /** 32 bytes, as base64. */
  readonly key: string;
}

/**
 * A stored secret cannot be opened now: its key is not configured, or it is not the key it was sealed
 * with. The value is whole, so this passes once the key is back; what needs the secret waits or is refused.
 */
export class SecretLockedError extends HubError {
  constructor(
    readonly keyId: string | null,
    message: string,
    cause?: unknown,
  ) {
    super('UNAVAILABLE', message, { cause });
  }
}

/**
 * The only place where the secrets the hub keeps (of webhooks, of agents, its own) turn into what is
 * stored, and back. A stored value names its form and its key, so values of several keys live side by
 * side. What it holds is authenticated together with that name.
 */
export class SecretBox {
  private readonly keys: ReadonlyMap<string, KeyObject>;
  private readonly sealing: { readonly id: string; readonly key: KeyObject };

  /** The first key seals, all of them open. Throws when there is none, or one is not 32 bytes. */
  constructor(keys: readonly SecretKey[]) {
    // Of two with one id the first counts.
    this.keys = new Map([...keys].reverse().map(({ id, key }) => [id, keyOf(id, key)]));
    const id = keys[0]?.id ?? '';
    const key = this.keys.get(id);
    if (key === undefined) throw new Error('There is no key to encrypt secrets with.');
    this.sealing = { id, key };
  }

  /** The id of the key that seals. */
  get sealingKey(): string {
    return this.sealing.id;
  }

  /** The ids of all keys, the sealing one first. */
  get keyIds(): readonly string[] {
    return [this.sealing.id, ...[...this.keys.keys()].filter((id) => id !== this.sealing.id)];
  }

  /** Whether a text holds one of the keys themselves, in the form of settings and key files. */
  holdsKey(text: string): boolean {
    const written = text.replaceAll('-', '+').replaceAll('_', '/');
    return [...this.keys.values()].some((key) =>
      written.includes(key.export().toString('base64').replace(/=+$/, '')),
    );
  }

  /** What is stored for a secret. Never the same twice. */
  seal(secret: string): string {
    const { id, key } = this.sealing;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, key, iv).setAAD(nameOf(id));
    const bytes = [iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return `${FORM}:${id}:${Buffer.concat(bytes).toString('base64url')}`;
  }

  /**
   * The secret of what is stored. Throws {@link SecretLockedError} without the right key or when the value
   * was changed; never with the value in its message.
   */
  open(sealed: string): string {
    if (sealed.startsWith(PLAIN)) return sealed.slice(PLAIN.length);
    const [, id, text] = SEALED.exec(sealed) ?? [];
    if (id === undefined || text === undefined) {
      throw new SecretLockedError(null, 'A stored secret has a form this hub does not know.');
    }
    const key = this.keys.get(id);
    if (key === undefined) {
      throw new SecretLockedError(
        id,
        `A stored secret is encrypted with the key ${id}, which secrets.keys does not have.`,
      );
    }
    return decrypted(id, key, Buffer.from(text, 'base64url'));
  }
}

/** The id of the key that a stored value is sealed with; null for one that is not encrypted. */
export function sealedBy(stored: string): string | null {
  return SEALED.exec(stored)?.[1] ?? null;
}

/** Whether a stored value has a form that a box gave it; else it is a text of before there was one. */
export function isSealed(stored: string): boolean {
  return stored.startsWith(PLAIN) || SEALED.test(stored);
}

function decrypted(id: string, key: KeyObject, bytes: Buffer): string {
  try {
    const tag = bytes.subarray(-TAG_BYTES);
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(nameOf(id))
      .setAuthTag(tag);
    const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch (error) {
    throw new SecretLockedError(
      id,
      `A stored secret cannot be decrypted with the key ${id}: it was encrypted with another key of that id, or changed.`,
      error,
    );
  }
}

/** What is authenticated besides the secret: the form and the key a stored value claims. */
function nameOf(id: string): Buffer {
  return Buffer.from(`${FORM}:${id}`);
}

function keyOf(id: string, base64: string): KeyObject {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== KEY_BYTES) throw new Error(`The key ${id} for secrets is not 32 bytes.`);
  return createSecretKey(bytes);
}
