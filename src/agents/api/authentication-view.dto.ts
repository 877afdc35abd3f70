import { CertificateDto } from '../../common/http/certificate.dto.js';
import { Shown } from '../../common/http/fields.js';
import { certificateTexts } from '../../common/client-certificate.js';
import type { SecretReferences } from '../../common/secret-references/secret-references.js';
import { fill } from '../../common/http/view.js';
import type { Agent } from '../agent.js';
import { AUTHENTICATION_TYPES } from '../agent-authentication.js';
import { Locked } from '../endpoint/sealed-json.js';

/** How the hub gets what proves it to an agent, without secrets. */
export class AuthenticationViewDto {
  @Shown.Choice([...AUTHENTICATION_TYPES, 'locked'], {
    description: 'locked: what is stored is encrypted with a key that the hub does not have.',
  })
  readonly type!: string;

  @Shown.Text({ optional: true })
  readonly tokenUrl?: string;

  @Shown.Text({ optional: true })
  readonly issuer?: string;

  @Shown.Text({ optional: true })
  readonly authorizationUrl?: string;

  @Shown.Text({ optional: true })
  readonly clientId?: string;

  @Shown.Text({ optional: true })
  readonly clientAuthentication?: string;

  @Shown.Text({ optional: true, list: true })
  readonly scopes?: readonly string[];

  @Shown.Text({ optional: true })
  readonly audience?: string;

  @Shown.Text({ optional: true })
  readonly resource?: string;

  @Shown.Text({ optional: true })
  readonly requestedTokenType?: string;

  @Shown.Text({ optional: true })
  readonly subject?: string;

  @Shown.Flag({ optional: true })
  readonly actor?: boolean;

  @Shown.Text({ optional: true, list: true })
  readonly issuers?: readonly string[];

  @Shown.Nested(() => CertificateDto, {
    optional: true,
    nullable: true,
    description: 'Null: it is kept elsewhere, and was not read yet.',
  })
  readonly certificate?: CertificateDto | null;

  @Shown.Nested(() => CertificateDto, {
    optional: true,
    list: true,
    description: "The authorities that the agent's own certificate has to be from.",
  })
  readonly ca?: readonly CertificateDto[];

  constructor(
    authentication: NonNullable<Agent['authentication']>,
    references: Pick<SecretReferences, 'current'>,
  ) {
    if (authentication instanceof Locked) {
      fill<AuthenticationViewDto>(this, { type: 'locked' });
      return;
    }
    const { certificate, ca, ...others } = authentication;
    const textsOf = (stored: string): CertificateDto[] =>
      certificateTexts(references.current(stored) ?? '').map((text) => new CertificateDto(text));
    fill<AuthenticationViewDto>(this, {
      ...others,
      ...(certificate !== undefined && { certificate: textsOf(certificate)[0] ?? null }),
      ...(ca !== undefined && { ca: textsOf(ca) }),
    });
  }
}
