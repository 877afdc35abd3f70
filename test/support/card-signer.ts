import { base64url, exportJWK, FlattenedSign, generateKeyPair, type JWK } from 'jose';
import { jcs } from '../../src/agents/card/signed-forms.js';
import { canonicalizeAgentCard, type AgentCard } from '../../src/protocol/a2a.js';
import type { JsonObject } from './json.js';

/** How a signer writes the card down: as the official SDKs do, or as it stands. */
export type Canonical = 'sdk' | 'document';

/** A key pair that signs agent cards. */
export class CardSigner {
  private constructor(
    readonly keyId: string,
    readonly algorithm: string,
    private readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'],
    /** The public key, with its id. */
    readonly publicKey: JWK,
    /** The private key as a JWK. */
    readonly secretKey: JWK,
  ) {}

  static async make(keyId: string, algorithm = 'ES256'): Promise<CardSigner> {
    const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
    const jwk = await exportJWK(publicKey);
    const secret = await exportJWK(privateKey);
    return new CardSigner(keyId, algorithm, privateKey, { ...jwk, kid: keyId }, secret);
  }

  /** A JWK Set with this key. */
  get keySet(): { keys: JWK[] } {
    return { keys: [this.publicKey] };
  }

  /** The card with a signature added. */
  async sign(
    card: JsonObject,
    header: JsonObject = {},
    canonical: Canonical = 'sdk',
  ): Promise<JsonObject> {
    const { signatures = [], ...unsigned } = card;
    const payload =
      canonical === 'sdk' ? canonicalizeAgentCard(unsigned as unknown as AgentCard) : jcs(unsigned);
    const protectedHeader = { alg: this.algorithm, typ: 'JOSE', kid: this.keyId, ...header };
    const jws = await new FlattenedSign(new TextEncoder().encode(payload))
      .setProtectedHeader(protectedHeader)
      .sign(this.privateKey);
    const signature = { protected: jws.protected, signature: jws.signature };
    return { ...card, signatures: [...(signatures as unknown[]), signature] };
  }
}

/** An entry of `signatures` with this header and these bytes, whatever they are. */
export function forged(header: JsonObject, signature: Uint8Array | string = 'x'): JsonObject {
  return {
    protected: base64url.encode(JSON.stringify(header)),
    signature: base64url.encode(signature),
  };
}
