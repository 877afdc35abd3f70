import { Injectable } from '@nestjs/common';
import { type CryptoKey, FlattenedSign, type JWK, importJWK } from 'jose';
import { Clock } from '../common/clock.js';
import { HubError } from '../common/hub-error.js';
import { Log } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.js';
import { AppConfig } from '../config/index.js';
import type { Tx, Work } from '../database/sql.js';
import { type KeyState, dueKey, keyState, signingKey } from './domain/key-schedule.js';
import { newKeyPair } from './key-pair.js';
import type { PublicKey, SigningKey } from './signing-key.js';
import { SigningKeyStore } from './signing-key-store.js';

/** How old the known keys may be when something is signed. */
const KNOWN_FOR_MS = 1000;

/** Members of a JWS header besides `alg` and `kid`. */
export interface SignatureHeader {
  readonly typ: string;
  /** Where the public keys are. */
  readonly jku?: string;
}

/** A signature of the hub (RFC 7515 §7.2.2), its payload left out. */
export interface Signature {
  /** The protected header, base64url. */
  readonly protected: string;
  /** base64url. */
  readonly signature: string;
}

/** What signs now. */
export interface Signer {
  readonly kid: string;
  readonly alg: 'ES256';
  /** Signs these bytes (a text: its UTF-8). Two signatures of the same are not the same. */
  sign(payload: string | Uint8Array, header: SignatureHeader): Promise<Signature>;
}

/** A key as operators see it. */
export interface ListedKey extends Omit<SigningKey, 'sealedPrivateKey'> {
  readonly state: KeyState;
}

/**
 * Signs what the hub says of itself. The first key is made when one is first needed, each later one
 * when the schedule wants it; all processes of one database share them.
 */
@Injectable()
export class SigningService {
  private known: { readonly keys: readonly SigningKey[]; readonly at: number } | undefined;
  private current: { readonly kid: string; readonly key: Promise<CryptoKey> } | undefined;
  private reading: Promise<readonly SigningKey[]> | undefined;

  constructor(
    private readonly store: SigningKeyStore,
    private readonly secrets: SecretBox,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** The key that signs now. It may be a second behind what other processes did. */
  async signer(): Promise<Signer> {
    const key = this.ableToSign(await this.recent()) ?? this.ableToSign(await this.read());
    if (!key) throw new HubError('INTERNAL', 'There is no key to sign with.');
    const { kid, alg } = key.publicKey;
    const privateKey = this.privateKey(key);
    return {
      kid,
      alg,
      async sign(payload, header) {
        const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload;
        const jws = await new FlattenedSign(bytes)
          .setProtectedHeader({ alg, kid, ...header })
          .sign(await privateKey);
        return { protected: jws.protected!, signature: jws.signature };
      },
    };
  }

  /**
   * Whether what {@link signer} has signed with this key may be stored: it is not revoked, nor will it be until the transaction
   * ends. When it is, the next signer is that of the keys as they are now.
   */
  *holds(tx: Tx, kid: string): Work<boolean> {
    const holds = yield* this.store.hold(tx, kid);
    if (!holds) this.known = undefined;
    return holds;
  }

  /** The keys that may be trusted now, newest first, as the database has them. */
  async publicKeys(): Promise<readonly PublicKey[]> {
    const keys = await this.list();
    return keys
      .filter(({ state }) => state === 'next' || state === 'signing' || state === 'retired')
      .map(({ publicKey }) => publicKey);
  }

  /** Every key there ever was, newest first. */
  async list(): Promise<readonly ListedKey[]> {
    const keys = await this.read();
    return keys.map((key) => this.listed(key, keys)).reverse();
  }

  /**
   * Makes a new key. It signs at once, and those before it stay published for the overlap; with
   * `publishFirst` it is published now and signs after the overlap.
   */
  async rotate(publishFirst: boolean): Promise<ListedKey> {
    const { overlapMs } = this.config.signing;
    for (;;) {
      const keys = await this.read();
      const now = this.clock.now();
      const from = publishFirst ? new Date(now.getTime() + overlapMs) : now;
      const added = await this.add(keys, from);
      if (added) return this.listed(added, [...keys, added]);
    }
  }

  /**
   * Withdraws a key at once: nothing it signed is to be trusted. When it was the one that signs, a new
   * one does. Rejects with NOT_FOUND.
   */
  async revoke(kid: string): Promise<void> {
    if (!(await this.store.revoke(kid, this.clock.now()))) {
      throw new HubError('NOT_FOUND', `There is no key ${kid}.`);
    }
    await this.read();
  }

  /**
   * The key that signs by this process's clock, or where that is behind and another process has let a
   * later key take over, which erases the private parts before it, that later one: it is published too.
   */
  private ableToSign(keys: readonly SigningKey[]): SigningKey | undefined {
    const due = signingKey(keys, this.clock.now());
    return (
      due &&
      keys.find(
        ({ generation, sealedPrivateKey, revokedAt }) =>
          generation >= due.generation && sealedPrivateKey !== null && revokedAt === null,
      )
    );
  }

  private async recent(): Promise<readonly SigningKey[]> {
    const { known } = this;
    // A clock that was set back does not make them young.
    const age = known ? Math.abs(this.clock.now().getTime() - known.at) : Infinity;
    if (known && age < KNOWN_FOR_MS) return known.keys;
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    try {
      return await this.reading;
    } catch (error) {
      if (!known) throw error;
      this.log.warn(
        { err: error },
        'signing keys could not be read; the keys read before stay in use',
      );
      return known.keys;
    }
  }

  /** All keys, with the one made that is due. */
  private async read(): Promise<readonly SigningKey[]> {
    const { store, clock, config } = this;
    let keys = await store.all();
    const due = dueKey(keys, clock.now(), config.signing);
    if (due !== undefined) {
      // Whoever was first: its key is everybody's.
      await this.add(keys, due);
      keys = await store.all();
    }
    this.known = { keys, at: clock.now().getTime() };
    return keys;
  }

  private async add(keys: readonly SigningKey[], signsFrom: Date): Promise<SigningKey | undefined> {
    const now = this.clock.now();
    const { publicKey, privateKey } = await newKeyPair();
    const key: SigningKey = {
      generation: (keys.at(-1)?.generation ?? 0) + 1,
      publicKey,
      sealedPrivateKey: this.secrets.seal(JSON.stringify(privateKey)),
      createdAt: now,
      signsFrom,
      revokedAt: null,
      revokedAfter: null,
    };
    const signing = signingKey([...keys, key], now)?.generation ?? key.generation;
    if (!(await this.store.add(key, signing))) return undefined;
    this.known = undefined;
    this.log.info({ kid: publicKey.kid, signsFrom }, 'a signing key was created');
    return key;
  }

  private privateKey({
    publicKey: { kid, alg },
    sealedPrivateKey,
  }: SigningKey): Promise<CryptoKey> {
    if (this.current?.kid !== kid) {
      const key = this.secrets.open(sealedPrivateKey ?? '');
      this.current = { kid, key: importJWK(JSON.parse(key) as JWK, alg) as Promise<CryptoKey> };
    }
    return this.current.key;
  }

  private listed(key: SigningKey, keys: readonly SigningKey[]): ListedKey {
    const { sealedPrivateKey: _, ...shown } = key;
    const state = keyState(key, keys, this.clock.now(), this.config.signing);
    return { ...shown, state };
  }
}
