import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsISO8601, IsIn, IsOptional, Matches } from 'class-validator';
import { NAME, NAME_RULE } from '../common/http/fields.js';
import type { ApiKey } from './api-key-store.js';
import { SCOPES, type Scope } from '../common/scope.js';

/** A time that means the same everywhere. */
const ZONED = /T.*(Z|[+-]\d\d:\d\d)$/;

export class CreateKeyDto {
  @ApiProperty({ type: String, example: 'billing service' })
  @Matches(NAME, NAME_RULE)
  name!: string;

  @ApiPropertyOptional({ type: String, default: 'default' })
  @IsOptional()
  @Matches(NAME, NAME_RULE)
  organization?: string;

  @ApiPropertyOptional({ enum: SCOPES, isArray: true, default: ['a2a'] })
  @IsArray()
  @ArrayNotEmpty()
  @IsIn(SCOPES, { each: true })
  scopes: Scope[] = ['a2a'];

  @ApiPropertyOptional({ type: String, description: 'An existing principal that gets this key.' })
  @IsOptional()
  @Matches(NAME, NAME_RULE)
  principal?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'When the key expires. Default: it is valid until it is revoked.',
  })
  @IsOptional()
  @IsISO8601({ strict: true })
  @Matches(ZONED, { message: '$property must be a time with its zone: 2027-01-31T12:00:00Z' })
  expiresAt?: string;
}

/** A key as it is listed. */
export class KeyDto {
  @ApiProperty({ type: String })
  readonly id: string;

  @ApiProperty({ type: String })
  readonly principalId: string;

  @ApiProperty({ type: String })
  readonly name: string;

  @ApiProperty({ type: String })
  readonly organization: string;

  @ApiProperty({ enum: SCOPES, isArray: true })
  readonly scopes: readonly Scope[];

  @ApiProperty({ type: String, format: 'date-time' })
  readonly createdAt: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly revokedAt: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly expiresAt: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Accurate to about a minute; null for an unused key.',
  })
  readonly lastUsedAt: string | null;

  constructor(record: ApiKey) {
    this.id = record.id;
    this.principalId = record.principalId;
    this.name = record.name;
    this.organization = record.organization;
    this.scopes = record.scopes;
    this.createdAt = record.createdAt.toISOString();
    this.revokedAt = record.revokedAt?.toISOString() ?? null;
    this.expiresAt = record.expiresAt?.toISOString() ?? null;
    this.lastUsedAt = record.lastUsedAt?.toISOString() ?? null;
  }
}

/** A key that was just made. */
export class CreatedKeyDto extends KeyDto {
  @ApiProperty({ type: String, description: 'The key itself; it is shown only once.' })
  readonly key: string;

  constructor(record: ApiKey, key: string) {
    super(record);
    this.key = key;
  }
}

export class KeyPageDto {
  @ApiProperty({ type: [KeyDto] })
  readonly items!: readonly KeyDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}
