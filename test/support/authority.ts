import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 3600 * 1000;

/** A certificate and its private key, PEM. */
export interface Issued {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate authority of one test. */
export class TestAuthority {
  private constructor(
    private readonly name: string,
    private readonly keys: webcrypto.CryptoKeyPair,
    /** Its own certificate, PEM. */
    readonly certificate: string,
  ) {}

  static async make(name = 'Test authority'): Promise<TestAuthority> {
    const keys = await newKeys();
    const made = await x509.X509CertificateGenerator.createSelfSigned({
      name: `CN=${name}`,
      keys,
      signingAlgorithm: ALGORITHM,
      serialNumber: '01',
      ...days(-1, 1),
      extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
    });
    return new TestAuthority(name, keys, made.toString('pem'));
  }

  /** A certificate for servers at these names and addresses, and for a client of this common name. */
  async issue(commonName: string, hosts: readonly string[] = []): Promise<Issued> {
    const { publicKey, privateKey } = await newKeys();
    const names = hosts.map((host) => ({
      type: /^[\d.]+$|:/.test(host) ? ('ip' as const) : ('dns' as const),
      value: host,
    }));
    const made = await x509.X509CertificateGenerator.create({
      issuer: `CN=${this.name}`,
      subject: `CN=${commonName}`,
      publicKey,
      signingKey: this.keys.privateKey,
      signingAlgorithm: ALGORITHM,
      ...days(-1, 1),
      extensions: names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : [],
    });
    const exported = await webcrypto.subtle.exportKey('pkcs8', privateKey);
    return {
      certificate: made.toString('pem'),
      key: x509.PemConverter.encode(exported, 'PRIVATE KEY'),
    };
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function days(from: number, to: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now + from * DAY_MS), notAfter: new Date(now + to * DAY_MS) };
}
