import type { FieldViolation } from '../../../common/hub-error.js';
import {
  certificateFacts,
  certificatesFault,
  keyFault,
} from '../../../common/client-certificate.js';
import type { Scheme } from './scheme.js';

/** A client certificate (RFC 8446 §4.3.2). */
export const mtls = {
  name: 'mtls',
  profile: {
    parameters: {
      certificate: { required: true, rule: certificatesFault },
      ca: { rule: certificatesFault },
    },
    secret: { label: 'PEM private key' },
    needsTls: true,
    check: (secret, { certificate }, now) => {
      if (certificate === undefined) return [];
      const violations: FieldViolation[] = [];
      const fault = secret === undefined ? undefined : keyFault(secret, certificate);
      if (fault !== undefined) violations.push({ field: 'secret', description: fault });
      const facts = certificateFacts(certificate, now);
      if (facts?.state === 'expired') {
        const description = `has expired on ${facts.notAfter.toISOString()}`;
        violations.push({ field: 'certificate', description });
      }
      return violations;
    },
    prove: ({ making, parameters, secret, noteCertificate }) => {
      noteCertificate();
      const { certificate = '', ca } = parameters;
      const clientCertificate = { certificate, key: secret };
      making.tls = { clientCertificate, ...(ca === undefined ? {} : { ca }) };
    },
  },
} as const satisfies Scheme;
