import { X509Certificate } from 'node:crypto';

/** A text of PEM as a setting gives it. */
export interface PemText {
  readonly text: string;
  /** The file it was read from, which may change later; null when it is written in the setting itself. */
  readonly file: string | null;
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
/** More than any chain or list of authorities that is meant. */
const MOST = 1000;

/** The certificates of a text in the one form that the TLS library reads whole: it passes over what follows a bad line. */
export function plainPem(pem: string): string {
  return certificatesIn(pem)
    .map((certificate) => certificate.toString())
    .join('');
}

/** The certificates in a text, in its order. Throws an Error whose message says what is wrong with the text. */
export function certificatesIn(pem: string): X509Certificate[] {
  const blocks = pem.match(BLOCK) ?? [];
  if (blocks.length === 0) {
    throw new Error('holds no certificate (PEM, -----BEGIN CERTIFICATE-----)');
  }
  if (blocks.length > MOST) throw new Error(`holds more than ${MOST} certificates`);
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (error) {
      throw new Error(`certificate ${index + 1} in it cannot be read`, { cause: error });
    }
  });
}
