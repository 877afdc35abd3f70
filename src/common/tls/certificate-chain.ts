import type { X509Certificate } from 'node:crypto';
import {
  BASIC_CONSTRAINTS,
  EXTENDED_KEY_USAGE,
  KEY_USAGE,
  SUBJECT_ALTERNATIVE_NAME,
  extensionsOf,
} from './certificate-extensions.js';
import { validityFault } from './listener-texts.js';

/** The most certificates between a caller's own and an authority. */
export const MAX_INTERMEDIATES = 8;
/** Key purposes by which a certificate is for a client of TLS: clientAuth, anyExtendedKeyUsage. */
const FOR_CLIENTS: readonly string[] = ['1.3.6.1.5.5.7.3.2', '2.5.29.37.0'];
/** The extensions that are looked at here; another one that is critical is refused (RFC 5280 §4.2). */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  KEY_USAGE,
  SUBJECT_ALTERNATIVE_NAME,
  BASIC_CONSTRAINTS,
  EXTENDED_KEY_USAGE,
]);
/** MD2, MD5 and SHA-1 with RSA, SHA-1 with DSA and ECDSA. */
const BROKEN_SIGNATURES: ReadonlySet<string> = new Set([
  '2a864886f70d010102',
  '2a864886f70d010104',
  '2a864886f70d010105',
  '2a8648ce380403',
  '2a8648ce3d0401',
]);
const LEAST_RSA_BITS = 2048;

/** What is wrong with a certificate that no authority vouches for by the chain that is known. */
export const UNTRUSTED = 'is not signed by an authority that the hub trusts for callers';

/**
 * Why a client's certificate is not vouched for by one of these authorities (RFC 5280 §6, without revocation lists,
 * policies and name constraints: who has critical ones is refused), as the end of a sentence; undefined when it is.
 * Each of `intermediates` has signed the one before it; those behind the authority do not count.
 */
export function chainFault(
  own: X509Certificate,
  intermediates: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  now: Date,
): string | undefined {
  if (intermediates.length > MAX_INTERMEDIATES) {
    return `comes with more than ${MAX_INTERMEDIATES} intermediate certificates`;
  }
  const fault = faultOf(own, now) ?? purposeFault(own);
  if (fault !== undefined) return fault;
  let last = own;
  for (let between = 0; between <= intermediates.length; between += 1) {
    // An authority may be the certificate itself: one that signed itself and was put there.
    if (authorities.some((authority) => authority.fingerprint256 === last.fingerprint256)) {
      return undefined;
    }
    const signers = authorities.filter((authority) => hasSigned(authority, last));
    const faults = signers.map((authority) => issuerFault(authority, between, now));
    // An authority may be listed twice, with its certificate of before.
    if (faults.length > 0) return faults.includes(undefined) ? undefined : faults[0];
    const next = intermediates[between];
    if (next === undefined) break;
    if (!hasSigned(next, last)) return 'is not signed by the certificate that follows it';
    const wrong = issuerFault(next, between, now);
    if (wrong !== undefined) return wrong;
    last = next;
  }
  return UNTRUSTED;
}

/** Why this one may not have signed a certificate with so many intermediates behind it. */
function issuerFault(issuer: X509Certificate, between: number, now: Date): string | undefined {
  const fault = faultOf(issuer, now);
  if (fault !== undefined) return `is signed by one that ${fault}`;
  if (!issuer.ca) return 'is signed by one that is no authority';
  // What an authority may sign for is bounded by its own extended key usage, if it has any.
  const limits = purposeFault(issuer);
  if (limits !== undefined) return `is signed by one that ${limits}`;
  const { pathLength } = extensionsOf(issuer);
  return pathLength === undefined || between <= pathLength
    ? undefined
    : 'has more intermediate certificates than its authority allows';
}

function faultOf(certificate: X509Certificate, now: Date): string | undefined {
  const { critical, signature } = extensionsOf(certificate);
  if (BROKEN_SIGNATURES.has(signature)) return 'is signed by a method that is broken (MD5, SHA-1)';
  const { modulusLength = LEAST_RSA_BITS } = certificate.publicKey.asymmetricKeyDetails ?? {};
  if (modulusLength < LEAST_RSA_BITS) {
    return `has a key of less than ${LEAST_RSA_BITS} bits`;
  }
  const unknown = critical.find((id) => !UNDERSTOOD.has(id));
  if (unknown !== undefined) return 'has a critical extension that the hub does not know';
  return validityFault(certificate, now);
}

function purposeFault({ keyUsage }: X509Certificate): string | undefined {
  // Node's `keyUsage` are the extended ones; undefined when there are none.
  const isForClients = keyUsage === undefined || keyUsage.some((id) => FOR_CLIENTS.includes(id));
  return isForClients ? undefined : 'is not for clients (extended key usage)';
}

function hasSigned(issuer: X509Certificate, certificate: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    // A key of a kind that cannot be read.
    return false;
  }
}
