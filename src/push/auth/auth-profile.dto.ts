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
import {
  CLIENT_AUTHENTICATIONS,
  type ClientAuthentication,
  PROFILE_SCHEMES,
  type ProfileScheme,
} from './auth-profile.js';

const MAX_TEXT = 1000;
const MAX_URL = 4096;
const MAX_SECRET = 16_384;
const MAX_PEM = 65_536;
const MAX_URLS = 50;
const MAX_OVERLAP_SECONDS = 30 * 86_400;

const SECRET = {
  type: String,
  minLength: 1,
  maxLength: MAX_SECRET,
  writeOnly: true,
  description:
    'The token (bearer), password (basic), key (api-key), whsec_… (hmac), whsk_… (ed25519), client secret (oauth2) or private key as PEM (mtls). It is never shown again. Left out for hmac and ed25519, the hub makes one.',
};

/** What schemes need besides their secret; null is as good as nothing. */
class ProfileParametersDto {
  @ApiPropertyOptional({ type: String, nullable: true, description: 'basic', example: 'hub' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  username?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'api-key: the header that carries it; X-API-Key when left out.',
    example: 'X-API-Key',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  header?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'oauth2: the token endpoint.',
    example: 'https://login.example.com/oauth2/token',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_URL)
  tokenUrl?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'oauth2', example: 'a2a-hub' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  clientId?: string | null;

  @ApiPropertyOptional({
    enum: CLIENT_AUTHENTICATIONS,
    nullable: true,
    description: 'oauth2: how the secret is sent; client_secret_basic when left out.',
  })
  @IsOptional()
  @IsIn(CLIENT_AUTHENTICATIONS)
  clientAuthentication?: ClientAuthentication | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'oauth2: between spaces.',
    example: 'webhooks:write',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  scope?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'oauth2' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  audience?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'oauth2 (RFC 8707)' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_URL)
  resource?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: MAX_PEM,
    description:
      "mtls, PEM: the authorities that the receiver's certificate may come from, instead of the public ones.",
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_PEM)
  ca?: string | null;
}

/** What any profile has that can be changed. */
class ProfileBaseDto extends ProfileParametersDto {
  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: MAX_URLS,
    description:
      'Where it may be sent: [scheme://]host[:port][/path]. The scheme is https unless http is written; *.example.com is every name below it; a path stands for what is below it as well.',
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
      'True: used for these addresses also when a webhook names no authentication, the most specific pattern first.',
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
    description: "Whose webhooks may use it; null: every organization's. Left out: the caller's.",
    example: 'acme',
  })
  @IsOptional()
  @Matches(NAME, NAME_RULE)
  organization?: string | null;

  @ApiProperty({ enum: PROFILE_SCHEMES, example: 'oauth2' })
  @IsIn(PROFILE_SCHEMES)
  scheme!: ProfileScheme;

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
    description: 'mtls, PEM: the certificate of the hub, then what leads to its authority.',
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
    description: 'mtls, PEM: the new certificate; left out, the old one goes with the new key.',
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
      'hmac and ed25519: how long requests are signed by the old key as well; push.rotationOverlap when left out, 0 for not at all.',
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
    description: 'true: deletes it although webhooks name it; what they wait for is not sent.',
  })
  @IfGiven()
  @IsBoolean()
  @Transform(({ value }: { value: unknown }) =>
    value === 'true' || value === 'false' ? value === 'true' : value,
  )
  force?: boolean;
}
