import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import { IfGiven, ID_RULE, NAME, NAME_RULE } from '../../common/http/fields.js';
import { ID } from '../../common/id-pattern.js';
import { MAX_PEM, ProfileParametersDto } from './profile-parameters.dto.js';
import {
  PROFILE_SCHEMES,
  PROFILE_SCHEME_NAMES,
  type ProfileSchemeName,
} from './schemes/schemes.js';

const MAX_URL = 4096;
const MAX_SECRET = 16_384;
const MAX_URLS = 50;
const MAX_OVERLAP_SECONDS = 30 * 86_400;

/** What the secret of each scheme is. */
function secretsOf(): string {
  const each = [...PROFILE_SCHEMES].flatMap(([name, { secret }]) =>
    secret === null ? [] : [`${secret.label} (${name})`],
  );
  return `${each.slice(0, -1).join(', ')} or ${each.at(-1)}`;
}

const SECRET = {
  type: String,
  minLength: 1,
  maxLength: MAX_SECRET,
  writeOnly: true,
  description: `The ${secretsOf()}. It is never returned. When omitted for hmac and ed25519, the hub generates one.`,
};

/** What any profile has that can be changed. */
class ProfileBaseDto extends ProfileParametersDto {
  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: MAX_URLS,
    description:
      'URL patterns it may be used for: [scheme://]host[:port][/path]. The default scheme is https; *.example.com matches every subdomain; a path also matches everything below it.',
    example: ['https://*.example.com/hooks'],
  })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(MAX_URLS)
  @ArrayUnique()
  @IsString({ each: true })
  @MaxLength(MAX_URL, { each: true })
  urls!: string[];

  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description:
      'True: also used for webhooks at these URLs that name no authentication; the most specific pattern wins.',
  })
  @IfGiven()
  @IsBoolean()
  automatic?: boolean;
}

export class CreateAuthProfileDto extends ProfileBaseDto {
  @ApiProperty({ type: String, pattern: ID.source, example: 'billing' })
  @Matches(ID, ID_RULE)
  name!: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      "The organization whose webhooks may use it; null: every organization. Default: the caller's.",
    example: 'acme',
  })
  @IsOptional()
  @Matches(NAME, NAME_RULE)
  organization?: string | null;

  @ApiProperty({ enum: PROFILE_SCHEME_NAMES, example: 'oauth2' })
  @IsIn(PROFILE_SCHEME_NAMES)
  scheme!: ProfileSchemeName;

  @ApiPropertyOptional(SECRET)
  @IfGiven()
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_SECRET)
  secret?: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: MAX_PEM,
    description:
      'mtls, PEM: the certificate of the hub, followed by its intermediate certificates.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_PEM)
  certificate?: string | null;
}

/** What is left out stays; null takes an optional parameter away. */
export class PatchAuthProfileDto extends PartialType(ProfileBaseDto, {
  skipNullProperties: false,
}) {}

export class RotateAuthProfileDto {
  @ApiPropertyOptional(SECRET)
  @IfGiven()
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_SECRET)
  secret?: string;

  @ApiPropertyOptional({
    type: String,
    maxLength: MAX_PEM,
    description:
      'mtls, PEM: the new certificate; when omitted, the current one is used with the new key.',
  })
  @IfGiven()
  @IsString()
  @MaxLength(MAX_PEM)
  certificate?: string;

  @ApiPropertyOptional({
    type: Number,
    minimum: 0,
    maximum: MAX_OVERLAP_SECONDS,
    description:
      'hmac and ed25519: how long requests are also signed with the previous key; default push.rotationOverlap, 0 for not at all.',
    example: 86_400,
  })
  @IfGiven()
  @IsInt()
  @Min(0)
  @Max(MAX_OVERLAP_SECONDS)
  overlapSeconds?: number;
}

export class DeleteAuthProfileQueryDto {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    description:
      'true: delete it even when webhooks use it; their pending deliveries become dead letters.',
  })
  @IfGiven()
  @IsBoolean()
  @Transform(({ value }: { value: unknown }) =>
    value === 'true' || value === 'false' ? value === 'true' : value,
  )
  force?: boolean;
}
