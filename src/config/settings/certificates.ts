import { certificateCallers } from '../certificate-callers.js';
import { texts } from '../setting-kinds.js';

/** Callers who show a client certificate. */
export const CERTIFICATE_SETTINGS = {
  certificates: certificateCallers({
    default: [],
    description:
      'Callers that are known by a client certificate of an authority in server.tls.clientCa (HTTP) or grpc.tlsClientCa (gRPC); the first entry that fits counts. A certificate that fits none is no credential. Each subject in each entry is a principal of its own. See docs/tls.md.',
  }),
  certificateProxies: texts({
    default: [],
    description:
      "Addresses and CIDR blocks of proxies that end TLS and name the caller's certificate in the header Client-Cert (RFC 9440), with its intermediates in Client-Cert-Chain. The hub verifies it again. From any other address the header is refused. List only proxies that remove these headers from what clients send.",
  }),
} as const;
