import { isRecord } from '../../common/is-record.js';
import { Injectable } from '@nestjs/common';
import {
  base64url,
  calculateJwkThumbprint,
  errors,
  flattenedVerify,
  importJWK,
  type JWK,
} from 'jose';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { AppConfig } from '../../config/index.js';
import type { CardKeys, CardSignature } from '../agent.js';
import { candidates, isAllowedAlgorithm, type PublicJwk } from '../../common/jwks/public-jwk.js';
import { type Json } from './card-fields.js';
import { KeySets } from '../../common/jwks/key-sets.js';
import { signedForms, type SignedForm } from './signed-forms.js';
import { isUrl } from '../../common/is-url.js';

/** Signatures of a card, and keys for one of them, that are tried. */
const MAX_SIGNATURES = 10;
const MAX_KEYS_TRIED = 5;

/** Where a card came from, which decides whose keys count. */
export interface CardOrigin {
  /** Of its address, or of the interface it names; null when it has none. */
  readonly origin: string | null;
  /** Pinned for the agent: then no others count. */
  readonly cardKeys: CardKeys | null;
}

export interface CheckedSignature {
  readonly signature: CardSignature;
  /** What a verified signature covers, as a card document; undefined for any other outcome. */
  readonly covered: Json | undefined;
}

/** One entry of `signatures`, its protected header read. */
interface Entry {
  readonly protected: string;
  readonly signature: string;
  readonly algorithm: string;
  readonly keyId: string | null;
  readonly keySetUrl: string | undefined;
}

interface TrustedKeys {
  readonly source: NonNullable<CardSignature['keySource']>;
  readonly keys: readonly PublicJwk[];
}

/** Verifies the signatures of agents' cards (A2A §8.4.3) with the keys the hub trusts for them. */
@Injectable()
export class CardVerifier {
  constructor(
    private readonly keySets: KeySets,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /** What is to be said of the signatures of a card document; one that verifies is enough. */
  async check(document: Json, from: CardOrigin): Promise<CheckedSignature> {
    const signatures = document['signatures'];
    if (!Array.isArray(signatures) || signatures.length === 0) {
      return result('unsigned', 'The card is not signed.');
    }
    const forms = signedForms(document);
    const results: CheckedSignature[] = [];
    for (const written of signatures.slice(0, MAX_SIGNATURES)) {
      const result = await this.checkOne(written, forms, from);
      if (result.signature.outcome === 'verified') return result;
      results.push(result);
    }
    return results.find(({ signature }) => signature.outcome === 'invalid') ?? results[0]!;
  }

  private async checkOne(
    written: unknown,
    forms: readonly SignedForm[],
    from: CardOrigin,
  ): Promise<CheckedSignature> {
    const entry = readEntry(written);
    if (typeof entry === 'string') return result('unverified', entry);
    let trusted: TrustedKeys;
    try {
      trusted = await this.keysFor(entry, from);
    } catch (error) {
      return result('unverified', noKeys(error), entry);
    }
    if (trusted.keys.length === 0) {
      return result('unverified', 'There is no trusted key with this key id and algorithm.', entry);
    }
    let unusable: string | undefined;
    for (const key of trusted.keys.slice(0, MAX_KEYS_TRIED)) {
      try {
        const form = await formSignedBy(key, entry, forms);
        if (form !== undefined) return await verified(entry, key, trusted.source, form);
      } catch (error) {
        unusable = `The key cannot be used: ${(error as Error).message}.`;
      }
    }
    if (unusable !== undefined) return result('unverified', unusable, entry);
    return result('invalid', 'The signature does not match the card.', entry);
  }

  /**
   * The keys that count: those pinned for the agent; else those the configuration trusts for the
   * card's origin; else those of the signature's `jku`, as long as that is on the same origin.
   */
  private async keysFor(entry: Entry, { origin, cardKeys }: CardOrigin): Promise<TrustedKeys> {
    const pick = (keys: readonly PublicJwk[]): PublicJwk[] =>
      candidates(keys, entry.algorithm, entry.keyId, this.clock.now());
    if (cardKeys !== null) {
      const keys =
        'keys' in cardKeys ? pick(cardKeys.keys) : await this.keySets.find(cardKeys.jwksUrl, pick);
      return { source: 'agent', keys };
    }
    const known = this.config.agents.trustedKeys.find((each) => each.origin === origin);
    if (known) return { source: 'origin', keys: await this.keySets.find(known.jwksUrl, pick) };
    const { keySetUrl } = entry;
    if (keySetUrl === undefined) return { source: 'card', keys: [] };
    if (origin === null || originOf(keySetUrl) !== origin) {
      throw new Error('its jku is not on the origin of the card');
    }
    return { source: 'card', keys: await this.keySets.find(keySetUrl, pick) };
  }
}

/** The origin of an http(s) URL; null for anything else. */
export function originOf(url: string): string | null {
  return /^https?:\/\//i.test(url) && isUrl(url) ? new URL(url).origin : null;
}

/** A sentence instead, when it cannot be verified at all. */
function readEntry(written: unknown): Entry | string {
  const { protected: header, signature } = isRecord(written) ? written : {};
  if (typeof header !== 'string' || typeof signature !== 'string') {
    return 'The signature is no JWS.';
  }
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(base64url.decode(header)));
  } catch {
    json = undefined;
  }
  if (!isRecord(json)) return 'The protected header of the signature cannot be read.';
  const { alg, kid, jku, crit } = json;
  if (typeof alg !== 'string' || !isAllowedAlgorithm(alg)) {
    return 'The algorithm of the signature is not allowed.';
  }
  if (crit !== undefined) return 'The signature has critical parameters, which are not supported.';
  return {
    protected: header,
    signature,
    algorithm: alg,
    keyId: typeof kid === 'string' ? kid : null,
    keySetUrl: typeof jku === 'string' ? jku : undefined,
  };
}

/** The form of the card that the key has signed; undefined when it has signed none. */
async function formSignedBy(
  key: PublicJwk,
  { protected: header, signature, algorithm }: Entry,
  forms: readonly SignedForm[],
): Promise<SignedForm | undefined> {
  const imported = await importJWK(key as JWK, algorithm);
  for (const form of forms) {
    const jws = { protected: header, signature, payload: base64url.encode(form.payload) };
    try {
      await flattenedVerify(jws, imported, { algorithms: [algorithm] });
      return form;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  return undefined;
}

async function verified(
  { keyId, algorithm }: Entry,
  key: PublicJwk,
  keySource: TrustedKeys['source'],
  { covered }: SignedForm,
): Promise<CheckedSignature> {
  const keyThumbprint = await calculateJwkThumbprint(key);
  const reason = REASONS[keySource];
  const outcome = 'verified';
  const wasVerified = true;
  return {
    signature: { outcome, keyId, algorithm, keySource, keyThumbprint, wasVerified, reason },
    covered,
  };
}

const REASONS: Readonly<Record<TrustedKeys['source'], string>> = {
  agent: 'Signed with a key pinned for this agent.',
  origin: "Signed with a key trusted for the card's origin.",
  card: "Signed with a key served by the card's own origin.",
};

function result(
  outcome: CardSignature['outcome'],
  reason: string,
  entry?: Pick<Entry, 'keyId' | 'algorithm'>,
): CheckedSignature {
  const signature = {
    outcome,
    keyId: entry?.keyId ?? null,
    algorithm: entry?.algorithm ?? null,
    keySource: null,
    keyThumbprint: null,
    wasVerified: false,
    reason,
  };
  return { signature, covered: undefined };
}

/** Why no keys could be had; addresses are the operator's and may be shown. */
function noKeys(error: unknown): string {
  const { name, message } = error as { name?: string; message?: string };
  const why = name === 'TimeoutError' ? 'no answer in time' : message;
  return error instanceof HubError
    ? `The keys may not be read: ${why}.`
    : `There are no keys to verify it with: ${why}.`;
}
