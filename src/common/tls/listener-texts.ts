import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { certificatesIn, plainPem } from './pem.js';

/** What a listener speaks TLS with, as PEM. */
export interface ListenerTexts {
  /** Null together with the key: the listener is without TLS. The server's own first, its intermediates after it. */
  readonly certificate: string | null;
  readonly key: string | null;
  /** The authorities whose certificates callers may show; null: none are asked for. */
  readonly clientCa: string | null;
}

/** What is wrong with one of the texts, as the end of a sentence that begins with the name of its setting. */
export interface ListenerFault {
  readonly part: keyof ListenerTexts;
  readonly text: string;
}

/** Everything by which these cannot be used, whatever the time. */
export function listenerFaults({ certificate, key, clientCa }: ListenerTexts): ListenerFault[] {
  const faults: ListenerFault[] = [];
  const read = <T>(part: keyof ListenerTexts, reader: () => T): T | undefined => {
    try {
      return reader();
    } catch (error) {
      faults.push({ part, text: (error as Error).message });
      return undefined;
    }
  };
  if (clientCa !== null) read('clientCa', () => certificatesIn(clientCa));
  if ((certificate === null) !== (key === null)) {
    const [part, other] = key === null ? ['key', 'certificate'] : ['certificate', 'key'];
    const text = `is missing: it is set together with the ${other}, or neither`;
    faults.push({ part: part as 'key' | 'certificate', text });
  }
  if (certificate === null || key === null) return faults;
  const own = read('certificate', () => certificatesIn(certificate)[0]);
  const privateKey = read('key', () => privateKeyIn(key));
  if (own === undefined || privateKey === undefined) return faults;
  read('certificate', () => checkPair(own, privateKey));
  if (faults.length === 0) read('certificate', () => checkUsable(certificate, key));
  return faults;
}

/** By which these cannot be used at this time. */
export function validityFaults(
  { certificate, clientCa }: ListenerTexts,
  now: Date,
): ListenerFault[] {
  const faults: ListenerFault[] = [];
  const own = certificate === null ? undefined : certificatesIn(certificate)[0];
  const fault = own && validityFault(own, now);
  if (fault !== undefined) faults.push({ part: 'certificate', text: `${fault}: put a valid one` });
  const authorities = clientCa === null ? [] : certificatesIn(clientCa);
  const ended = authorities.map((authority) => validityFault(authority, now));
  if (ended.length > 0 && ended.every((each) => each !== undefined)) {
    faults.push({ part: 'clientCa', text: `holds no authority that is valid now: ${ended[0]}` });
  }
  return faults;
}

/** Why a certificate does not count at this time; undefined when it does. */
export function validityFault(certificate: X509Certificate, now: Date): string | undefined {
  const { from, until } = validityOf(certificate);
  if (now.getTime() > until.getTime()) return `has expired (${until.toISOString()})`;
  if (now.getTime() < from.getTime()) return `is not valid before ${from.toISOString()}`;
  return undefined;
}

/** From when until when a certificate counts. */
export function validityOf({ validFrom, validTo }: X509Certificate): { from: Date; until: Date } {
  return { from: new Date(validFrom), until: new Date(validTo) };
}

function privateKeyIn(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new Error(
      'is no private key that can be read (PEM without a passphrase; take one off with: openssl pkey -in FILE)',
      { cause: error },
    );
  }
}

function checkPair(own: X509Certificate, key: KeyObject): void {
  if (own.checkPrivateKey(key)) return;
  throw new Error(
    "does not fit the key: give the pair that was made together, the server's own certificate first in its file",
  );
}

/** What else the TLS library has against them, such as a key that is too small. */
function checkUsable(cert: string, key: string): void {
  try {
    createSecureContext({ cert: plainPem(cert), key });
  } catch (error) {
    throw new Error(`and its key cannot be used for TLS: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
