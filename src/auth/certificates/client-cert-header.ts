import { X509Certificate } from 'node:crypto';
import { MAX_INTERMEDIATES } from '../../common/tls/certificate-chain.js';
import type { RequestHeaders } from '../credential.js';

/** The headers by which a proxy that ends TLS names the certificate of the caller (RFC 9440 §2). */
export const CLIENT_CERT = 'client-cert';
export const CLIENT_CERT_CHAIN = 'client-cert-chain';

/** A certificate with those that lead to its authority. */
export interface CertificateChain {
  readonly own: X509Certificate;
  readonly intermediates: readonly X509Certificate[];
}

/** A byte sequence (RFC 8941 §3.3.5), and parameters, which mean nothing here. */
const BYTES = /^:([A-Za-z0-9+/]*={0,2}):(?:;[a-z*][a-z0-9_.*=-]*)*$/;
/** The largest certificate in a header, as base64. */
const MAX_LENGTH = 16 * 1024;

/** Whether a request names a certificate in a header. */
export function namesCertificate(headers: RequestHeaders): boolean {
  return headers[CLIENT_CERT] !== undefined || headers[CLIENT_CERT_CHAIN] !== undefined;
}

/** The certificate that the headers name. Throws an Error whose message begins with the name of the header at fault. */
export function chainInHeaders(headers: RequestHeaders): CertificateChain {
  const [own, ...more] = members(headers[CLIENT_CERT]);
  if (own === undefined) throw new Error('Client-Cert-Chain comes without a Client-Cert');
  if (more.length > 0) throw new Error('Client-Cert holds more than one certificate');
  const intermediates = members(headers[CLIENT_CERT_CHAIN]);
  if (intermediates.length > MAX_INTERMEDIATES) {
    throw new Error(`Client-Cert-Chain holds more than ${MAX_INTERMEDIATES} certificates`);
  }
  return {
    own: certificateOf(own, 'Client-Cert'),
    intermediates: intermediates.map((each) => certificateOf(each, 'Client-Cert-Chain')),
  };
}

/** The members of a list; several lines of one header are one list. */
function members(header: string | readonly string[] | undefined): string[] {
  if (header === undefined) return [];
  return [header].flat().flatMap((line) => line.split(',').map((member) => member.trim()));
}

function certificateOf(member: string, header: string): X509Certificate {
  const base64 = member.length > MAX_LENGTH ? undefined : BYTES.exec(member)?.[1];
  if (base64 === undefined || base64 === '') {
    throw new Error(`${header} is not a byte sequence (:base64 of the DER:, RFC 9440)`);
  }
  try {
    const raw = Buffer.from(base64, 'base64');
    const certificate = new X509Certificate(raw);
    // PEM in the bytes, or something behind the certificate, is not what the RFC allows.
    if (certificate.raw.equals(raw)) return certificate;
  } catch {
    // Said below.
  }
  throw new Error(`${header} holds bytes that are no certificate (DER)`);
}
