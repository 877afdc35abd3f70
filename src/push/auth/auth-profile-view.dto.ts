import { CertificateDto } from '../../common/http/certificate.dto.js';
import { Shown } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import type { ReferenceView } from '../../common/secret-references/secret-references.js';
import type { AuthProfile } from './auth-profile.js';
import {
  type CertificateFacts,
  certificateFacts,
  type CertificateState,
} from '../../common/client-certificate.js';
import { ProfileParametersViewDto } from './profile-parameters.dto.js';
import { PROFILE_SCHEME_NAMES, type ProfileSchemeName } from './schemes/schemes.js';

const PUBLIC_KEY = 'whpk_B7EfM6tjZ2tB0SPKJUrcSj0jcE5JVkXrDq0gD7LcP3o=';

export class ProfileSecretDto {
  @Shown.Text({ description: 'Identifies the secret without revealing it.' })
  readonly fingerprint!: string;

  @Shown.Time()
  readonly since!: string;

  @Shown.Text({
    nullable: true,
    description: 'Where the secret is kept (env:, file:, vault:, aws:); null: here.',
  })
  readonly reference!: string | null;

  @Shown.Flag({
    nullable: true,
    description:
      'Whether this process could read it there when it last tried; null: it is kept here, or was not tried yet.',
  })
  readonly isReadable!: boolean | null;

  @Shown.Text({ nullable: true, description: 'Why it could not be read.' })
  readonly problem!: string | null;

  @Shown.Text({
    nullable: true,
    description: 'Fingerprint of the previous key, which also signs until previousUntil.',
  })
  readonly previousFingerprint!: string | null;

  @Shown.Time({ nullable: true })
  readonly previousUntil!: string | null;
}

export class ProfileCertificateDto extends CertificateDto {
  @Shown.Choice(['valid', 'expiring', 'expired', 'not-yet-valid'], {
    description: 'expiring: it expires within 30 days.',
  })
  readonly state: CertificateState;

  constructor(facts: CertificateFacts) {
    super(facts);
    this.state = facts.state;
  }
}

/** Of a secret that is no reference. */
const KEPT_HERE = { reference: null, isReadable: null, problem: null };

/** A profile as it is shown: its secret only by a fingerprint. */
export class AuthProfileDto {
  @Shown.Text({ format: 'uuid' })
  readonly id!: string;

  @Shown.Text({ nullable: true, description: 'Null: every organization.' })
  readonly organization!: string | null;

  @Shown.Text({ example: 'billing' })
  readonly name!: string;

  @Shown.Choice(PROFILE_SCHEME_NAMES)
  readonly scheme!: ProfileSchemeName;

  @Shown.Text({ list: true, example: ['https://*.example.com/hooks'] })
  readonly urls!: readonly string[];

  @Shown.Flag()
  readonly automatic!: boolean;

  @Shown.Nested(() => ProfileParametersViewDto, { example: { publicKey: PUBLIC_KEY } })
  readonly parameters!: ProfileParametersViewDto;

  @Shown.Nested(() => ProfileCertificateDto, { nullable: true, description: 'mtls' })
  readonly certificate!: ProfileCertificateDto | null;

  @Shown.Nested(() => ProfileSecretDto, { nullable: true, description: 'Null for jwt.' })
  readonly secret!: ProfileSecretDto | null;

  @Shown.Time()
  readonly createdAt!: string;

  @Shown.Time()
  readonly updatedAt!: string;

  constructor(
    profile: AuthProfile,
    now: Date,
    reference: ReferenceView | typeof KEPT_HERE = KEPT_HERE,
  ) {
    const { certificate, previousPublicKey, ...parameters } = profile.parameters;
    const { previousUntil } = profile;
    const both = previousUntil !== null && previousUntil > now && previousPublicKey !== undefined;
    fill<AuthProfileDto>(this, {
      ...profile,
      parameters: { ...parameters, ...(both ? { previousPublicKey } : {}) },
      certificate: certificate === undefined ? null : shownCertificate(certificate, now),
      secret: shownSecret(profile, now, reference),
    });
  }
}

/** A profile that was just made or rotated. */
export class IssuedAuthProfileDto extends AuthProfileDto {
  @Shown.Text({
    nullable: true,
    description: 'The whsec_… secret when the hub generated it; it is returned only this once.',
  })
  readonly issuedSecret: string | null;

  constructor(
    profile: AuthProfile,
    now: Date,
    reference: ReferenceView | undefined,
    issuedSecret: string | null,
  ) {
    super(profile, now, reference);
    this.issuedSecret = issuedSecret;
  }
}

function shownCertificate(pem: string, now: Date): ProfileCertificateDto | null {
  const facts = certificateFacts(pem, now);
  return facts === undefined ? null : new ProfileCertificateDto(facts);
}

function shownSecret(
  profile: AuthProfile,
  now: Date,
  reference: ReferenceView | typeof KEPT_HERE,
): ProfileSecretDto | null {
  const { fingerprint, secretSince, previousFingerprint, previousUntil } = profile;
  if (fingerprint === null || secretSince === null) return null;
  const overlaps = previousUntil !== null && previousUntil > now;
  return {
    ...reference,
    fingerprint,
    since: secretSince.toISOString(),
    previousFingerprint: overlaps ? previousFingerprint : null,
    previousUntil: overlaps ? previousUntil.toISOString() : null,
  };
}
