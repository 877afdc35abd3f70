import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { NAME, NAME_RULE } from '../common/http/fields.js';
import { PageQueryDto } from '../common/http/page-query.dto.js';
import { type Hold, HOLDS } from './domain/hold.js';
import { PRINCIPAL_STATES, type PrincipalRecord, type PrincipalState } from './principal-store.js';

export class PrincipalQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ type: String, example: 'acme' })
  @IsOptional()
  @Matches(NAME, NAME_RULE)
  organization?: string;

  @ApiPropertyOptional({ enum: PRINCIPAL_STATES })
  @IsOptional()
  @IsIn(PRINCIPAL_STATES)
  state?: PrincipalState;
}

export class PrincipalDto {
  @ApiProperty({ type: String, example: '0199f1c2-8d11-7b52-9c3e-4a5b6c7d8e9f' })
  readonly id: string;

  @ApiProperty({ type: String, example: 'acme' })
  readonly organization: string;

  @ApiProperty({
    enum: PRINCIPAL_STATES,
    description: '`keyless`: enabled, but every key of it was revoked.',
  })
  readonly state: PrincipalState;

  @ApiProperty({ type: Number, description: 'Its keys that are not revoked.', example: 1 })
  readonly validKeys: number;

  @ApiProperty({
    type: Boolean,
    description: 'The configuration admits this principal without such a key.',
  })
  readonly builtIn: boolean;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly createdAt: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly disabledAt: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Since when it has no valid key.',
  })
  readonly keylessSince: string | null;

  @ApiProperty({
    enum: HOLDS,
    nullable: true,
    example: null,
    description:
      'Why nothing is delivered for it at this moment: all webhooks and subscriptions while it is disabled, subscriptions when it has had no valid key for auth.keylessGrace. Each webhook shows its own reason as `held`.',
  })
  readonly pushHeld: Hold | null;

  constructor(record: PrincipalRecord, pushHeld: Hold | null) {
    this.id = record.id;
    this.organization = record.organization;
    this.state = stateOf(record);
    this.validKeys = record.validKeys;
    this.builtIn = record.builtIn;
    this.createdAt = record.createdAt.toISOString();
    this.disabledAt = record.disabledAt?.toISOString() ?? null;
    this.keylessSince = record.keylessSince?.toISOString() ?? null;
    this.pushHeld = pushHeld;
  }
}

export class PrincipalPageDto {
  @ApiProperty({ type: [PrincipalDto] })
  readonly items!: readonly PrincipalDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}

function stateOf({ disabledAt, keylessSince }: PrincipalRecord): PrincipalState {
  if (disabledAt !== null) return 'disabled';
  return keylessSince === null ? 'active' : 'keyless';
}
