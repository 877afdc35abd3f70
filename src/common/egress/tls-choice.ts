import { hash } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { ConnectError } from './connect-error.js';

/** A certificate the hub shows when it is asked for one (mTLS), and its private key; both PEM. */
export interface ClientCertificate {
  /** The hub's certificate first, then what leads to the authority. */
  readonly certificate: string;
  readonly key: string;
}

/** What a TLS connection is made with besides the defaults of Node. */
export interface TlsChoice {
  readonly clientCertificate?: ClientCertificate;
  /** Certificates of authorities (PEM) that are trusted for this request, and no others. */
  readonly ca?: string;
}

/** What connections of this choice may share: equal for equal choices, and says nothing of the key. */
export function identityOf(choice: TlsChoice): string {
  const { clientCertificate, ca } = choice;
  if (clientCertificate === undefined && ca === undefined) return '';
  const parts = [clientCertificate?.certificate, clientCertificate?.key, ca];
  return hash('sha256', JSON.stringify(parts), 'base64');
}

/**
 * Undefined for the defaults. Throws {@link ConnectError} `ERR_TLS_CLIENT_CERTIFICATE` when certificate
 * and key are unusable or do not belong together.
 */
export function secureContextOf(choice: TlsChoice): SecureContext | undefined {
  const { clientCertificate, ca } = choice;
  if (clientCertificate === undefined && ca === undefined) return undefined;
  try {
    // Without a key OpenSSL would connect and show nothing.
    if (clientCertificate?.key === '') throw new Error('the key is empty');
    return createSecureContext({
      cert: clientCertificate?.certificate,
      key: clientCertificate?.key,
      ca,
    });
  } catch (cause) {
    const fault = Object.assign(new Error('unusable certificate or key', { cause }), {
      code: 'ERR_TLS_CLIENT_CERTIFICATE',
    });
    throw new ConnectError('any server with this client certificate', fault);
  }
}
