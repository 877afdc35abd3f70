import { PartialType } from '@nestjs/swagger';
import { Choice, Flag, Int, QueryFlag, Text } from '../../common/http/fields.js';
import { ID, NAME } from '../../common/http/text-forms.js';
import { MAX_REFERENCE } from '../../common/secret-references/secret-reference.js';
import { MAX_PEM, ProfileParametersDto } from './profile-parameters.dto.js';
import { PROFILE_SCHEMES } from './schemes/schemes.js';
import { PROFILE_SCHEME_NAMES, type ProfileSchemeName } from './schemes/schemes.js';

const MAX_URL = 4096;
const MAX_SECRET = 16_384;
const MAX_URLS = 50;
const MAX_OVERLAP_SECONDS = 30 * 86_400;

/** What the secret of each scheme is. */
const SECRETS = [...PROFILE_SCHEMES].flatMap(([name, { secret }]) =>
  secret === null ? [] : [`${secret.label} (${name})`],
);
/** The schemes whose secrets the hub can generate. */
const GENERATED = [...PROFILE_SCHEMES].flatMap(([name, { secret }]) =>
  secret?.make ? [name] : [],
);

function joined(names: readonly string[], word: 'and' | 'or'): string {
  return `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}

const SECRET = {
  type: String,
  minLength: 1,
  maxLength: MAX_SECRET,
  writeOnly: true,
  description: `The ${joined(SECRETS, 'or')}. It is never returned. When omitted for ${joined(GENERATED, 'and')}, the hub generates one.`,
};

const SECRET_REF = {
  optional: true,
  max: MAX_REFERENCE,
  description:
    'Where the secret is kept, in the place of secret: env:NAME, file:/PATH, vault:PATH#FIELD or aws:NAME, as secrets.references allows. It is read again when it changes there.',
  example: 'vault:webhooks/billing#token',
} as const;

/** What any profile has that can be changed. */
class ProfileBaseDto extends ProfileParametersDto {
  @Text({
    list: { min: 1, max: MAX_URLS, unique: true },
    max: MAX_URL,
    description:
      'URL patterns it may be used for: [scheme://]host[:port][/path]. The default scheme is https; *.example.com matches every subdomain; a path also matches everything below it.',
    example: ['https://*.example.com/hooks'],
  })
  urls!: string[];

  @Flag({
    optional: true,
    default: false,
    description:
      'True: also used for webhooks at these URLs that name no authentication; the most specific pattern wins.',
  })
  automatic?: boolean;
}

export class CreateAuthProfileDto extends ProfileBaseDto {
  @Text({ like: ID, example: 'billing' })
  name!: string;

  @Text({
    optional: true,
    nullable: true,
    like: NAME,
    description:
      "The organization whose webhooks may use it; null: every organization. Default: the caller's.",
    example: 'acme',
  })
  organization?: string | null;

  @Choice(PROFILE_SCHEME_NAMES, { example: 'oauth2' })
  scheme!: ProfileSchemeName;

  @Text({ ...SECRET, optional: true, min: 1, max: MAX_SECRET })
  secret?: string;

  @Text(SECRET_REF)
  secretRef?: string;

  @Text({
    optional: true,
    nullable: true,
    max: MAX_PEM,
    description:
      'mtls, PEM: the certificate of the hub, followed by its intermediate certificates.',
  })
  certificate?: string | null;
}

/** What is left out stays; null takes an optional parameter away. */
export class PatchAuthProfileDto extends PartialType(ProfileBaseDto, {
  skipNullProperties: false,
}) {}

export class RotateAuthProfileDto {
  @Text({ ...SECRET, optional: true, min: 1, max: MAX_SECRET })
  secret?: string;

  @Text(SECRET_REF)
  secretRef?: string;

  @Text({
    optional: true,
    max: MAX_PEM,
    description:
      'mtls, PEM: the new certificate; when omitted, the current one is used with the new key.',
  })
  certificate?: string;

  @Int({
    optional: true,
    min: 0,
    max: MAX_OVERLAP_SECONDS,
    description: `${joined(GENERATED, 'and')}: how long requests are also signed with the previous key; default push.rotationOverlap, 0 for not at all.`,
    example: 86_400,
  })
  overlapSeconds?: number;
}

export class DeleteAuthProfileQueryDto {
  @QueryFlag({
    optional: true,
    description:
      'true: delete it even when webhooks use it; their pending deliveries become dead letters.',
  })
  force?: boolean;
}
