import { type JWK, calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import type { PublicKey } from './signing-key.js';

/** A new ES256 key pair. */
export async function newKeyPair(): Promise<{
  readonly publicKey: PublicKey;
  readonly privateKey: JWK;
}> {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const { x = '', y = '' } = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint({ kty: 'EC', crv: 'P-256', x, y });
  return {
    publicKey: { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' },
    privateKey: await exportJWK(pair.privateKey),
  };
}
