import { ApiProperty } from '@nestjs/swagger';
import type { AuthProfile } from './auth-profile.js';
import { ProfileParametersViewDto } from './profile-parameters.dto.js';
import { PROFILE_SCHEME_NAMES, type ProfileSchemeName } from './schemes/schemes.js';
import { type CertificateState, certificateFacts } from './domain/client-certificate.js';

const PUBLIC_KEY = 'whpk_B7EfM6tjZ2tB0SPKJUrcSj0jcE5JVkXrDq0gD7LcP3o=';

export class ProfileSecretDto {
  @ApiProperty({ type: String, description: 'Identifies the secret without revealing it.' })
  readonly fingerprint!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly since!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Fingerprint of the previous key, which also signs until previousUntil.',
  })
  readonly previousFingerprint!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly previousUntil!: string | null;
}

export class ProfileCertificateDto {
  @ApiProperty({ type: String, example: 'CN=hub.example.com' })
  readonly subject!: string;

  @ApiProperty({ type: String, example: 'CN=Example Root' })
  readonly issuer!: string;

  @ApiProperty({ type: String })
  readonly serialNumber!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly notBefore!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly notAfter!: string;

  @ApiProperty({
    enum: ['valid', 'expiring', 'expired', 'not-yet-valid'],
    description: 'expiring: it expires within 30 days.',
  })
  readonly state!: CertificateState;
}

/** A profile as it is shown: its secret only by a fingerprint. */
export class AuthProfileDto {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly id: string;

  @ApiProperty({ type: String, nullable: true, description: 'Null: every organization.' })
  readonly organization: string | null;

  @ApiProperty({ type: String, example: 'billing' })
  readonly name: string;

  @ApiProperty({ enum: PROFILE_SCHEME_NAMES })
  readonly scheme: ProfileSchemeName;

  @ApiProperty({ type: [String], example: ['https://*.example.com/hooks'] })
  readonly urls: readonly string[];

  @ApiProperty({ type: Boolean })
  readonly automatic: boolean;

  @ApiProperty({ type: ProfileParametersViewDto, example: { publicKey: PUBLIC_KEY } })
  readonly parameters: ProfileParametersViewDto;

  @ApiProperty({ type: ProfileCertificateDto, nullable: true, description: 'mtls' })
  readonly certificate: ProfileCertificateDto | null;

  @ApiProperty({ type: ProfileSecretDto, nullable: true, description: 'Null for jwt.' })
  readonly secret: ProfileSecretDto | null;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly createdAt: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly updatedAt: string;

  constructor(profile: AuthProfile, now: Date) {
    const { certificate, previousPublicKey, ...parameters } = profile.parameters;
    const { previousUntil } = profile;
    const both = previousUntil !== null && previousUntil > now && previousPublicKey !== undefined;
    this.id = profile.id;
    this.organization = profile.organization;
    this.name = profile.name;
    this.scheme = profile.scheme;
    this.urls = profile.urls;
    this.automatic = profile.automatic;
    this.parameters = { ...parameters, ...(both ? { previousPublicKey } : {}) };
    this.certificate = certificate === undefined ? null : shownCertificate(certificate, now);
    this.secret = shownSecret(profile, now);
    this.createdAt = profile.createdAt.toISOString();
    this.updatedAt = profile.updatedAt.toISOString();
  }
}

/** A profile that was just made or rotated. */
export class IssuedAuthProfileDto extends AuthProfileDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The whsec_… secret when the hub generated it; it is returned only this once.',
  })
  readonly issuedSecret: string | null;

  constructor(profile: AuthProfile, now: Date, issuedSecret: string | null) {
    super(profile, now);
    this.issuedSecret = issuedSecret;
  }
}

export class AuthProfilePageDto {
  @ApiProperty({ type: [AuthProfileDto] })
  readonly items!: readonly AuthProfileDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}

function shownCertificate(pem: string, now: Date): ProfileCertificateDto | null {
  const facts = certificateFacts(pem, now);
  if (facts === undefined) return null;
  return {
    ...facts,
    notBefore: facts.notBefore.toISOString(),
    notAfter: facts.notAfter.toISOString(),
  };
}

function shownSecret(profile: AuthProfile, now: Date): ProfileSecretDto | null {
  const { fingerprint, secretSince, previousFingerprint, previousUntil } = profile;
  if (fingerprint === null || secretSince === null) return null;
  const overlaps = previousUntil !== null && previousUntil > now;
  return {
    fingerprint,
    since: secretSince.toISOString(),
    previousFingerprint: overlaps ? previousFingerprint : null,
    previousUntil: overlaps ? previousUntil.toISOString() : null,
  };
}
