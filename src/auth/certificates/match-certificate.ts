import { readName } from '../../common/tls/distinguished-name.js';
import { fitsSpiffe, isSpiffeId } from '../../common/tls/spiffe-id.js';
import type { CertificateCaller } from '../../config/index.js';
import type { CertificateFacts } from './certificate-facts.js';

/** Who shows a certificate. */
export interface CertificateMatch {
  readonly entry: CertificateCaller;
  /** The name of the certificate by which it fits: its SPIFFE id, a DNS name or its subject. */
  readonly subject: string;
}

/**
 * The first entry that a verified certificate fits, or why there is none, as the end of a sentence. A certificate with
 * several URIs has no SPIFFE id (X509-SVID §2), and a wildcard is nobody's DNS name.
 */
export function matchCertificate(
  facts: CertificateFacts,
  entries: readonly CertificateCaller[],
  now: Date,
): CertificateMatch | { readonly why: string } {
  if (now > facts.until) return { why: `has expired (${facts.until.toISOString()})` };
  if (now < facts.from) return { why: `is not valid before ${facts.from.toISOString()}` };
  for (const entry of entries) {
    const subject = nameFor(facts, entry);
    if (subject !== undefined) return { entry, subject };
  }
  return { why: 'is of no caller that the hub knows (auth.certificates)' };
}

function nameFor(facts: CertificateFacts, entry: CertificateCaller): string | undefined {
  if (entry.spiffeId !== undefined) {
    const [id, ...others] = facts.uris;
    const isOne = id !== undefined && others.length === 0 && isSpiffeId(id);
    return isOne && fitsSpiffe(id, entry.spiffeId) ? id : undefined;
  }
  if (entry.dnsName !== undefined) {
    const name = entry.dnsName.toLowerCase();
    return facts.dnsNames.includes(name) ? name : undefined;
  }
  if (entry.subject === undefined || facts.subject === undefined) return undefined;
  return readName(entry.subject) === facts.subject ? facts.subject : undefined;
}
