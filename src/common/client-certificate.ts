import { X509Certificate, createPrivateKey } from 'node:crypto';

/** How long before its end a certificate is said to be expiring. */
const NOTICE_MS = 30 * 24 * 3_600_000;
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export type CertificateState = 'valid' | 'expiring' | 'expired' | 'not-yet-valid';

/** What a certificate says. */
export interface CertificateText {
  readonly subject: string;
  readonly issuer: string;
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** What people want to know of a certificate. */
export interface CertificateFacts extends CertificateText {
  readonly state: CertificateState;
}

/** The facts of the first certificate in the PEM text; undefined when there is none that can be read. */
export function certificateFacts(pem: string, now: Date): CertificateFacts | undefined {
  const [first] = certificateTexts(pem);
  return first && { ...first, state: stateOf(first.notBefore, first.notAfter, now) };
}

/** What the certificates of the PEM text say; empty when one of them cannot be read. */
export function certificateTexts(pem: string): readonly CertificateText[] {
  return (certificatesOf(pem) ?? []).map(
    ({ subject, issuer, serialNumber, validFrom, validTo }) => ({
      subject,
      issuer,
      serialNumber,
      notBefore: new Date(validFrom),
      notAfter: new Date(validTo),
    }),
  );
}

/** What is wrong with a PEM text of certificates, for people; undefined when nothing is. */
export function certificatesFault(pem: string): string | undefined {
  const certificates = certificatesOf(pem);
  if (certificates === undefined) return 'holds a certificate that cannot be read';
  return certificates.length === 0 ? 'must be one or more certificates as PEM' : undefined;
}

/** What is wrong with a private key for a certificate; undefined when they belong together. */
export function keyFault(key: string, certificate: string): string | undefined {
  const [first] = certificatesOf(certificate) ?? [];
  try {
    const privateKey = createPrivateKey(key);
    if (first === undefined || first.checkPrivateKey(privateKey)) return undefined;
    return 'is not the private key of the certificate';
  } catch {
    return key.includes('ENCRYPTED')
      ? 'must not be encrypted; the hub encrypts it itself'
      : 'must be a private key as PEM';
  }
}

/** Undefined when one of them cannot be read. */
function certificatesOf(pem: string): X509Certificate[] | undefined {
  try {
    return [...pem.matchAll(BLOCK)].map(([block]) => new X509Certificate(block));
  } catch {
    return undefined;
  }
}

function stateOf(notBefore: Date, notAfter: Date, now: Date): CertificateState {
  if (now < notBefore) return 'not-yet-valid';
  if (now > notAfter) return 'expired';
  return notAfter.getTime() - now.getTime() < NOTICE_MS ? 'expiring' : 'valid';
}
