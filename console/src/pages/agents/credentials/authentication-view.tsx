import type { Schema } from '../../../api/client';
import { Facts } from '../../../ui/page';
import { Time } from '../../../ui/time';
import { AUTHENTICATIONS } from './authentication-form';

/** How the hub proves its calls, without secrets. */
export function AuthenticationView({
  authentication,
}: {
  readonly authentication: Schema<'AuthenticationViewDto'> | null;
}) {
  if (authentication === null) {
    return <p className="faint">No access token and no certificate: headers alone.</p>;
  }
  const { type, certificate } = authentication;
  return (
    <Facts
      facts={{
        Type:
          type === 'locked'
            ? 'Kept encrypted with a key that the hub does not have: give it again'
            : AUTHENTICATIONS[type].label,
        Issuer: authentication.issuer,
        'Authorization endpoint': authentication.authorizationUrl,
        'Token endpoint': authentication.tokenUrl,
        'Client id': authentication.clientId,
        Scopes: authentication.scopes?.join(', '),
        Audience: authentication.audience,
        Resource: authentication.resource,
        'What is exchanged': authentication.subject,
        'Whose tokens': authentication.issuers?.join(', '),
        Certificate: certificate && (
          <>
            {certificate.subject}, ends <Time at={certificate.notAfter} />
          </>
        ),
      }}
    />
  );
}
