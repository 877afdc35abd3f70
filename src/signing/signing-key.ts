/** A public key as it is published (RFC 7517, RFC 7518 §6.2.1). */
export interface PublicKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  /** Its thumbprint (RFC 7638). */
  readonly kid: string;
  readonly alg: 'ES256';
  readonly use: 'sig';
}

/** One of the key pairs the hub signs with. */
export interface SigningKey {
  /** Its number, from 1; a later key takes over from an earlier one. */
  readonly generation: number;
  readonly publicKey: PublicKey;
  /** The private JSON Web Key, sealed by `SecretBox`; null when it signs no more. */
  readonly sealedPrivateKey: string | null;
  readonly createdAt: Date;
  /** From then on it signs, until a later key does. */
  readonly signsFrom: Date;
  /** Since when it must not be trusted. */
  readonly revokedAt: Date | null;
  /** The last that was signed before that, by `SignatureOrder`; null while it is not revoked, and where it was before this was kept. */
  readonly revokedAfter: number | null;
}
