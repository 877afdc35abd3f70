import { CERTIFICATE_MEMBERS } from './certificate.js';
import type { AuthenticationScheme } from './scheme.js';

/** A client certificate (RFC 8446 §4.4.2) and nothing else; other types have it beside their token. */
export const mtls: AuthenticationScheme = {
  members: {
    certificate: { ...CERTIFICATE_MEMBERS.certificate, required: true },
    privateKey: { required: true },
  },
  headers: [],
  prove: () => Promise.resolve({ headers: {}, secrets: [] }),
};
