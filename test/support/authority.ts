import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 3600 * 1000;

/** A certificate and its private key, PEM. */
export interface Issued {
  readonly certificate: string;
  readonly key: string;
}

export interface IssueOptions {
  /** URIs it names, such as SPIFFE ids. */
  readonly uris?: readonly string[];
  /** From how many days after now until how many it counts; by default from -1 to 1. */
  readonly days?: readonly [from: number, to: number];
  /** Extended key usages, by their OIDs. */
  readonly usages?: readonly string[];
  readonly extensions?: readonly x509.Extension[];
  /** In the place of `CN=` and the name. */
  readonly subject?: string;
}

export interface AuthorityOptions {
  readonly days?: readonly [from: number, to: number];
  readonly pathLength?: number;
  readonly extensions?: readonly x509.Extension[];
  /** False: its certificate is not one of an authority. */
  readonly isAuthority?: boolean;
}

/** A certificate authority of one test. */
export class TestAuthority {
  private constructor(
    private readonly name: string,
    private readonly keys: webcrypto.CryptoKeyPair,
    /** Its own certificate, PEM. */
    readonly certificate: string,
  ) {}

  static async make(
    name = 'Test authority',
    options: AuthorityOptions = {},
  ): Promise<TestAuthority> {
    const keys = await newKeys();
    const made = await x509.X509CertificateGenerator.createSelfSigned({
      name: `CN=${name}`,
      keys,
      signingAlgorithm: ALGORITHM,
      serialNumber: '01',
      ...days(options.days),
      extensions: authorityExtensions(options),
    });
    return new TestAuthority(name, keys, made.toString('pem'));
  }

  /** The same name and key, with a certificate of other times. */
  async renewed(options: AuthorityOptions): Promise<TestAuthority> {
    const made = await x509.X509CertificateGenerator.createSelfSigned({
      name: `CN=${this.name}`,
      keys: this.keys,
      signingAlgorithm: ALGORITHM,
      ...days(options.days),
      extensions: authorityExtensions(options),
    });
    return new TestAuthority(this.name, this.keys, made.toString('pem'));
  }

  /** An authority below this one. */
  async intermediate(name: string, options: AuthorityOptions = {}): Promise<TestAuthority> {
    const keys = await newKeys();
    const made = await this.sign(`CN=${name}`, keys.publicKey, {
      ...(options.days && { days: options.days }),
      extensions: authorityExtensions(options),
    });
    return new TestAuthority(name, keys, made.toString('pem'));
  }

  /** A certificate for servers at these names and addresses, and for a client of this common name. */
  async issue(
    commonName: string,
    hosts: readonly string[] = [],
    options: IssueOptions = {},
  ): Promise<Issued> {
    const { publicKey, privateKey } = await newKeys();
    const { uris = [], usages, extensions = [], subject = `CN=${commonName}` } = options;
    const names = [
      ...hosts.map((host) => ({
        type: /^[\d.]+$|^[\da-f:]+$/i.test(host) ? ('ip' as const) : ('dns' as const),
        value: host,
      })),
      ...uris.map((uri) => ({ type: 'url' as const, value: uri })),
    ];
    const made = await this.sign(subject, publicKey, {
      ...(options.days && { days: options.days }),
      extensions: [
        ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
        ...(usages ? [new x509.ExtendedKeyUsageExtension([...usages])] : []),
        ...extensions,
      ],
    });
    const exported = await webcrypto.subtle.exportKey('pkcs8', privateKey);
    return {
      certificate: made.toString('pem'),
      key: x509.PemConverter.encode(exported, 'PRIVATE KEY'),
    };
  }

  private sign(
    subject: string,
    publicKey: webcrypto.CryptoKey,
    options: Pick<IssueOptions, 'days'> & { readonly extensions: x509.Extension[] },
  ): Promise<x509.X509Certificate> {
    return x509.X509CertificateGenerator.create({
      issuer: `CN=${this.name}`,
      subject,
      publicKey,
      signingKey: this.keys.privateKey,
      signingAlgorithm: ALGORITHM,
      ...days(options.days),
      extensions: options.extensions,
    });
  }
}

function authorityExtensions({
  pathLength,
  extensions = [],
  isAuthority = true,
}: AuthorityOptions): x509.Extension[] {
  return [new x509.BasicConstraintsExtension(isAuthority, pathLength, true), ...extensions];
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function days([from, to]: readonly [number, number] = [-1, 1]): {
  notBefore: Date;
  notAfter: Date;
} {
  const now = Date.now();
  return { notBefore: new Date(now + from * DAY_MS), notAfter: new Date(now + to * DAY_MS) };
}
