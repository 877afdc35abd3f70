import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/*
 * Signatures of Standard Webhooks 1.0: HMAC-SHA256 (`v1`) with `whsec_` secrets and ed25519 (`v1a`) with
 * `whsk_` private keys, whose public halves are `whpk_`.
 */

const SECRET = 'whsec_';
const PRIVATE = 'whsk_';
const PUBLIC = 'whpk_';
/** Of a secret, as Standard Webhooks has it. */
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
const SEED_BYTES = 32;
/** Bytes of a secret that the hub makes. */
export const NEW_SECRET_BYTES = 32;
/** What comes before the seed in a PKCS #8 ed25519 key (RFC 8410 §7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
/** Keys that sign one request at most; more than a rotation ever needs. */
const MAX_KEYS = 10;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What signs; `any` in a place that takes both. */
export type SigningKeyKind = 'hmac' | 'ed25519' | 'any';

/** What a signature is about. */
export interface SignedMessage {
  readonly webhookId: string;
  /** The attempt's time, as its header says it in whole seconds. */
  readonly at: Date;
  readonly body: string;
}

/** Keys as they are written, between spaces. */
export function splitKeys(written: string): string[] {
  return written.split(' ').filter((key) => key !== '');
}

/** What is wrong with these keys (space separated), for people; undefined when nothing is. Never holds a key. */
export function keysFault(written: string, kind: SigningKeyKind): string | undefined {
  const keys = splitKeys(written);
  if (keys.length === 0) return `must be ${FORMS[kind]}`;
  if (keys.length > MAX_KEYS) return `must not be more than ${MAX_KEYS} keys`;
  if (new Set(keys).size < keys.length) return 'must not name a key twice';
  return keys.map((key) => keyFault(key, kind)).find((fault) => fault !== undefined);
}

/** What is wrong when this is not one key. */
export function oneKeyFault(written: string): string | undefined {
  return splitKeys(written).length === 1 ? undefined : 'must be one key';
}

/** The value of `webhook-signature`: one signature by each key, between spaces. The keys are valid. */
export function signaturesOf(keys: readonly string[], message: SignedMessage): string {
  const { webhookId, at, body } = message;
  const content = Buffer.from(`${webhookId}.${timestampOf(at)}.${body}`, 'utf8');
  return keys
    .map((key) =>
      key.startsWith(PRIVATE)
        ? `v1a,${sign(null, content, privateKeyOf(key)).toString('base64')}`
        : `v1,${createHmac('sha256', bytesOf(key)).update(content).digest('base64')}`,
    )
    .join(' ');
}

/** `webhook-timestamp`: whole seconds. */
export function timestampOf(at: Date): string {
  return String(Math.floor(at.getTime() / 1000));
}

/** A `whsec_` secret of these random bytes. */
export function hmacSecretOf(random: Buffer): string {
  return SECRET + random.toString('base64');
}

/** The `whsk_` key of 32 random bytes: seed and public key, as libsodium has it. */
export function ed25519KeyOf(seed: Buffer): string {
  const publicKey = rawPublicKey(keyOfSeed(seed));
  return PRIVATE + Buffer.concat([seed, publicKey]).toString('base64');
}

/** The `whpk_` key that verifies what this `whsk_` key signs. */
export function publicKeyOf(key: string): string {
  return PUBLIC + rawPublicKey(privateKeyOf(key)).toString('base64');
}

const FORMS: Readonly<Record<SigningKeyKind, string>> = {
  hmac: `${SECRET} and ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes as base64, several with spaces between them`,
  ed25519: `${PRIVATE} and an ed25519 private key as base64 (32 bytes, or 64 with its public key), several with spaces between them`,
  any: `${SECRET} or ${PRIVATE} keys of Standard Webhooks, several with spaces between them`,
};

function keyFault(key: string, kind: SigningKeyKind): string | undefined {
  const isSecret = key.startsWith(SECRET) && kind !== 'ed25519';
  const isPrivate = key.startsWith(PRIVATE) && kind !== 'hmac';
  if (!isSecret && !isPrivate) return `must be ${FORMS[kind]}`;
  if (!BASE64.test(textOf(key))) return `must be base64 after ${isSecret ? SECRET : PRIVATE}`;
  const bytes = bytesOf(key);
  if (isPrivate) return privateKeyFault(bytes);
  if (bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES) return undefined;
  return `must be ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes after ${SECRET}, not ${bytes.length}`;
}

function privateKeyFault(bytes: Buffer): string | undefined {
  if (bytes.length !== SEED_BYTES && bytes.length !== 2 * SEED_BYTES) {
    return `must be ${SEED_BYTES} or ${2 * SEED_BYTES} bytes after ${PRIVATE}, not ${bytes.length}`;
  }
  const claimed = bytes.subarray(SEED_BYTES);
  const actual = rawPublicKey(keyOfSeed(bytes.subarray(0, SEED_BYTES)));
  if (claimed.length === 0 || claimed.equals(actual)) return undefined;
  return `must end with its own public key when it is ${2 * SEED_BYTES} bytes`;
}

function privateKeyOf(key: string): KeyObject {
  return keyOfSeed(bytesOf(key).subarray(0, SEED_BYTES));
}

function keyOfSeed(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
}

function rawPublicKey(key: KeyObject): Buffer {
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return spki.subarray(-SEED_BYTES);
}

function textOf(key: string): string {
  return key.slice(key.indexOf('_') + 1);
}

function bytesOf(key: string): Buffer {
  return Buffer.from(textOf(key), 'base64');
}
