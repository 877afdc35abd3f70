import {
  type ListenerFault,
  listenerFaults,
  validityFaults,
} from '../common/tls/listener-texts.js';
import type { ListenerTexts } from '../common/tls/listener-texts.js';
import type { PemText } from '../common/tls/pem.js';
import { Networks } from '../common/networks.js';
import type { Settings } from './settings.js';

/** What the settings give one listener, and how they are called. */
export interface ListenerSettings {
  readonly keys: Readonly<Record<keyof ListenerTexts, string>>;
  readonly pem: Readonly<Record<keyof ListenerTexts, PemText | null>>;
}

interface Fault {
  readonly key: string;
  readonly text: string;
}

type TlsSettings = Pick<Settings, 'server' | 'grpc'>;

/** The listener for HTTP. */
export function httpListener({ server: { tls } }: Pick<Settings, 'server'>): ListenerSettings {
  return {
    keys: {
      certificate: 'server.tls.certificate',
      key: 'server.tls.key',
      clientCa: 'server.tls.clientCa',
    },
    pem: tls,
  };
}

/** The listener for gRPC. */
export function grpcListener({ grpc }: Pick<Settings, 'grpc'>): ListenerSettings {
  return {
    keys: {
      certificate: 'grpc.tlsCertificate',
      key: 'grpc.tlsKey',
      clientCa: 'grpc.tlsClientCa',
    },
    pem: { certificate: grpc.tlsCertificate, key: grpc.tlsKey, clientCa: grpc.tlsClientCa },
  };
}

/** The texts as they were when the settings were read. */
export function textsOf({ pem: { certificate, key, clientCa } }: ListenerSettings): ListenerTexts {
  return {
    certificate: certificate?.text ?? null,
    key: key?.text ?? null,
    clientCa: clientCa?.text ?? null,
  };
}

/** What is wrong with the settings of TLS and of client certificates, whatever the time. */
export function tlsFaults(settings: Pick<Settings, 'server' | 'grpc' | 'auth'>): Fault[] {
  const { certificates, certificateProxies: proxies } = settings.auth;
  const listeners = [httpListener(settings), grpcListener(settings)];
  const faults = listeners.flatMap(({ keys, pem }) => {
    const texts = textsOf({ keys, pem });
    const found = listenerFaults(texts).map((fault) => named(fault, keys));
    if (texts.clientCa === null) return found;
    if (certificates.length === 0) {
      const text = 'lets no caller in: auth.certificates names no callers; set both or neither';
      found.push({ key: keys.clientCa, text });
    } else if (texts.certificate === null && proxies.length === 0) {
      const text = `needs TLS: set ${keys.certificate} and ${keys.key}, or list the proxy that ends TLS in auth.certificateProxies`;
      found.push({ key: keys.clientCa, text });
    }
    return found;
  });
  if (certificates.length > 0 && listeners.every(({ pem }) => pem.clientCa === null)) {
    const text =
      'needs the authorities of these certificates: server.tls.clientCa, grpc.tlsClientCa';
    faults.push({ key: 'auth.certificates', text });
  }
  if (proxies.length > 0 && certificates.length === 0) {
    const text = 'is of no use without auth.certificates; set both or neither';
    faults.push({ key: 'auth.certificateProxies', text });
  }
  const wrong = Networks.faultOf(proxies);
  if (wrong !== undefined) faults.push({ key: 'auth.certificateProxies', text: wrong });
  return faults;
}

/** What of the certificates does not count at this time, so that the hub should not start with it. */
export function tlsTimeFaults(settings: TlsSettings, now: Date): Fault[] {
  return [httpListener(settings), grpcListener(settings)].flatMap((listener) =>
    validityFaults(textsOf(listener), now).map((fault) => named(fault, listener.keys)),
  );
}

function named({ part, text }: ListenerFault, keys: ListenerSettings['keys']): Fault {
  return { key: keys[part], text };
}
