import {
  certificateFacts,
  certificatesFault,
  keyFault,
} from '../../../common/client-certificate.js';
import type { TlsChoice } from '../../../common/egress/tls-choice.js';
import { isReferred } from '../../../common/secret-references/referred-secret.js';
import type { AgentAuthentication, AuthenticationParameters } from '../../agent-authentication.js';
import type { AuthenticationScheme } from './scheme.js';

/** What TLS is made with, whatever else proves the hub. */
export const CERTIFICATE_MEMBERS = {
  certificate: { rule: certificatesFault },
  privateKey: {},
  ca: { rule: certificatesFault },
} as const satisfies AuthenticationScheme['members'];

/** A way that may show a client certificate as well. */
export function withCertificate(scheme: AuthenticationScheme): AuthenticationScheme {
  return {
    ...scheme,
    members: { ...CERTIFICATE_MEMBERS, ...scheme.members },
    check: (given) => ({ ...pairFaults(given), ...scheme.check?.(given) }),
  };
}

/** What is wrong with certificate and key together, by the member; what is kept elsewhere is not looked at. */
export function pairFaults({
  certificate,
  privateKey,
}: AuthenticationParameters): Record<string, string> {
  if (certificate === undefined && privateKey === undefined) return {};
  if (certificate === undefined) return { certificate: 'must be given with privateKey' };
  if (privateKey === undefined) return { privateKey: 'must be given with certificate' };
  if (isReferred(privateKey) || isReferred(certificate)) return {};
  if (certificatesFault(certificate) !== undefined) return {};
  const fault = keyFault(privateKey, certificate);
  return fault === undefined ? {} : { privateKey: fault };
}

/** Why the certificate is of no use any more, to follow the name of its member. */
export function expiryFault(certificate: string, now: Date): string | undefined {
  const facts = certificateFacts(certificate, now);
  return facts?.state === 'expired' ? `has expired on ${facts.notAfter.toISOString()}` : undefined;
}

/** What connections are made with; undefined for the usual. Its secrets are revealed. */
export function tlsOf({ certificate, privateKey, ca }: AgentAuthentication): TlsChoice | undefined {
  if (certificate === undefined || privateKey === undefined) {
    return ca === undefined ? undefined : { ca };
  }
  const clientCertificate = { certificate, key: privateKey };
  return ca === undefined ? { clientCertificate } : { clientCertificate, ca };
}
