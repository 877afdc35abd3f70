import type { webcrypto } from 'node:crypto';
import { type Server, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

/** A certificate and its key, as PEM. */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate authority of the test. */
export class TestAuthority {
  private serial = 1;

  private constructor(
    private readonly keys: webcrypto.CryptoKeyPair,
    private readonly root: x509.X509Certificate,
  ) {}

  static async create(): Promise<TestAuthority> {
    const keys = await newKeys();
    const root = await x509.X509CertificateGenerator.createSelfSigned({
      name: 'CN=Authority of the tests',
      ...validity(3650),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
    });
    return new TestAuthority(keys, root);
  }

  get certificate(): string {
    return this.root.toString('pem');
  }

  /** A certificate for `127.0.0.1` that ends in so many days. */
  async issue(name: string, days = 365): Promise<IssuedCertificate> {
    const keys = await newKeys();
    const names = new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]);
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: (++this.serial).toString(16).padStart(2, '0'),
      subject: `CN=${name}`,
      issuer: this.root.subject,
      ...validity(days),
      signingKey: this.keys.privateKey,
      publicKey: keys.publicKey,
      signingAlgorithm: ALGORITHM,
      extensions: [names],
    });
    const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
    return { certificate: certificate.toString('pem'), key: pem('PRIVATE KEY', key) };
  }
}

/** An https receiver that talks to nobody without a certificate of the authority. */
export class MtlsReceiver {
  /** The names of those who have called, in order. */
  readonly callers: string[] = [];

  private constructor(private readonly server: Server) {}

  static async start(authority: TestAuthority): Promise<MtlsReceiver> {
    const { certificate, key } = await authority.issue('receiver');
    const server = createServer({
      cert: certificate,
      key,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: true,
    });
    const receiver = new MtlsReceiver(server);
    server.on('request', (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      receiver.callers.push(String(subject.CN));
      request.resume().on('end', () => response.writeHead(200).end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    return closed;
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function validity(days: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - DAY_MS), notAfter: new Date(now + days * DAY_MS) };
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').replace(/.{64}/g, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
