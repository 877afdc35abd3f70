import type { X509Certificate } from 'node:crypto';
import { type DistinguishedName, subjectName } from '../../common/tls/distinguished-name.js';
import { validityOf } from '../../common/tls/listener-texts.js';

/** Whom a certificate names, and how long. */
export interface CertificateFacts {
  /** Its URIs. */
  readonly uris: readonly string[];
  /** Its DNS names, in lower case. */
  readonly dnsNames: readonly string[];
  /** Its subject; undefined when that is empty, or in no form that can be compared. */
  readonly subject: DistinguishedName | undefined;
  readonly from: Date;
  readonly until: Date;
}

export function factsOf(certificate: X509Certificate): CertificateFacts {
  const names = alternativeNames(certificate.subjectAltName);
  const of = (type: string): string[] =>
    names.flatMap(([each, value]) => (each === type ? [value] : []));
  return {
    uris: of('URI'),
    dnsNames: of('DNS').map((name) => name.toLowerCase()),
    subject: subjectName(certificate.subject),
    ...validityOf(certificate),
  };
}

/** Node writes `TYPE:value, TYPE:value`; a value with a comma or anything else unusual is a JSON string without commas. */
function alternativeNames(written = ''): [type: string, value: string][] {
  return written.split(', ').flatMap((entry): [string, string][] => {
    const colon = entry.indexOf(':');
    const value = entry.slice(colon + 1);
    // What has to be quoted is no SPIFFE id and no DNS name.
    return colon < 0 || value.startsWith('"') ? [] : [[entry.slice(0, colon), value]];
  });
}
