import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { PageQueryDto } from '../common/http/page-query.dto.js';
import type { AgentBudgets, AgentEndpoint, CardSignature, SignatureOutcome } from './agent.js';

/** No control characters, nothing a database refuses. */
const TAG = /^[^\p{Cc}\p{Cs}]{1,100}$/u;
const TAG_RULE = { each: true, message: 'each must be 1 to 100 characters, no control characters' };
/** As names of organizations are given to keys. */
const ORGANIZATION = /^[^\p{Cc}\p{Cs}]{1,200}$/u;
const ORGANIZATION_RULE = {
  each: true,
  message: 'each must be 1 to 200 characters, no control characters',
};
const MAX_PRIORITY = 1_000_000;
const MAX_WEIGHT = 1000;
const MAX_CONCURRENT = 100_000;
const MAX_QUEUE = 1_000_000;
const YEAR_MS = 365 * 24 * 3600 * 1000;
/** Hosts without a dot (`localhost`, names of containers) count; what may be called, egress says. */
const URL_RULE = { protocols: ['http', 'https'], require_protocol: true, require_tld: false };
const ENDPOINT_RULE = { ...URL_RULE, protocols: ['http', 'https', 'grpc', 'grpcs'] };
const BINDINGS = ['JSONRPC', 'HTTP+JSON', 'GRPC'] as const;
const VERSIONS = ['1.0', '0.3'] as const;
const MAX_URL = 2048;

const HEADERS = {
  type: 'object',
  additionalProperties: { type: 'string' },
  example: { authorization: 'Bearer …' },
} as const;

/** Absent leaves a member as it is; null is a value of its own. */
const IfPresent = () => ValidateIf((_, value) => value !== undefined && value !== null);

const IsCardKeys = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'object',
      additionalProperties: true,
      nullable: true,
      example: { jwksUrl: 'https://agent.example/.well-known/jwks.json' },
      description,
    }),
    IfPresent(),
    IsObject(),
  );

const AreOrganizations = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: [String], nullable: true, description }),
    IfPresent(),
    IsArray(),
    ArrayNotEmpty(),
    ArrayMaxSize(1000),
    Matches(ORGANIZATION, ORGANIZATION_RULE),
  );

export class BudgetsDto implements Partial<Record<keyof AgentBudgets, number | null>> {
  @ApiPropertyOptional({ type: Number, nullable: true, minimum: 1, description: 'To connect.' })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(600_000)
  connectMs?: number | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    minimum: 1,
    description: 'From sending a message to the first event or answer.',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(YEAR_MS)
  firstEventMs?: number | null;

  @ApiPropertyOptional({ type: Number, nullable: true, minimum: 1, description: 'Between events.' })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(YEAR_MS)
  idleMs?: number | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    minimum: 1,
    description: 'First send to end.',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(YEAR_MS)
  totalMs?: number | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    minimum: 1,
    description: "How long a cancel waits for the agent's answer.",
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(3_600_000)
  cancelWaitMs?: number | null;
}

export class RegisterAgentDto {
  @ApiPropertyOptional({
    type: String,
    pattern: '^[a-z0-9-]{1,63}$',
    description: "Default: made of the card's name.",
  })
  @IsOptional()
  @Matches(/^[a-z0-9-]{1,63}$/, { message: '$property must be 1 to 63 of a-z, 0-9 and -' })
  id?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'Where the agent or its card is; this or `card`.',
    example: 'https://agent.example',
  })
  @IsOptional()
  @IsUrl(URL_RULE)
  @MaxLength(MAX_URL)
  cardUrl?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'The card itself, of protocol 0.2.5, 0.3 or 1.0.',
  })
  @IsOptional()
  @IsObject()
  card?: Record<string, unknown>;

  @ApiPropertyOptional({ ...HEADERS, description: 'Sent when the card is read.' })
  @IsOptional()
  @IsObject()
  cardHeaders?: Record<string, unknown>;

  @ApiPropertyOptional({ ...HEADERS, description: 'Sent with every call to the agent.' })
  @IsOptional()
  @IsObject()
  credentials?: Record<string, unknown>;

  @ApiPropertyOptional({
    type: String,
    description:
      "Called instead of the card's URL. For gRPC, `grpcs://` and `https://` mean TLS, `grpc://` and `http://` plain text.",
  })
  @IsOptional()
  @IsUrl(ENDPOINT_RULE)
  @MaxLength(MAX_URL)
  endpointOverride?: string;

  @ApiPropertyOptional({
    enum: BINDINGS,
    description: "Only interfaces of this binding are called. Default: the hub's choice.",
  })
  @IsOptional()
  @IsIn(BINDINGS)
  protocolBinding?: AgentEndpoint['protocolBinding'];

  @ApiPropertyOptional({
    enum: VERSIONS,
    description: "Only interfaces of this version are called. Default: the hub's choice.",
  })
  @IsOptional()
  @IsIn(VERSIONS)
  protocolVersion?: AgentEndpoint['protocolVersion'];

  @ApiPropertyOptional({ type: [String], description: "The operator's tags." })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @Matches(TAG, TAG_RULE)
  tags?: string[];

  @ApiPropertyOptional({ type: Number, default: 0, description: 'Higher is tried first.' })
  @IsOptional()
  @IsInt()
  @Min(-MAX_PRIORITY)
  @Max(MAX_PRIORITY)
  priority?: number;

  @ApiPropertyOptional({
    type: Number,
    minimum: 1,
    maximum: MAX_WEIGHT,
    default: 1,
    description: 'Its share of the work among equals.',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_WEIGHT)
  weight?: number;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    minimum: 1,
    maximum: MAX_CONCURRENT,
    description: 'Delegations at once from one process. Null: tasks.maxPerAgent.',
  })
  @IfPresent()
  @IsInt()
  @Min(1)
  @Max(MAX_CONCURRENT)
  maxConcurrent?: number | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    minimum: 1,
    maximum: MAX_QUEUE,
    description: 'Delegations that may wait for it. Null: agents.maxQueue.',
  })
  @IfPresent()
  @IsInt()
  @Min(1)
  @Max(MAX_QUEUE)
  maxQueue?: number | null;

  @ApiPropertyOptional({ type: Boolean, default: true, description: 'False: no new work.' })
  @IsOptional()
  @IsBoolean()
  enabled?: boolean;

  @IsCardKeys(
    'Public keys, one of which has to have signed the card: a JWK Set, or `{jwksUrl}`. Default: the keys of its origin count.',
  )
  cardKeys?: Record<string, unknown> | null;

  @AreOrganizations('The organizations that may use the agent. Default: everybody.')
  organizations?: string[] | null;

  @ApiPropertyOptional({ type: BudgetsDto })
  @IsOptional()
  @ValidateNested()
  @Type(() => BudgetsDto)
  budgets?: BudgetsDto;
}

export class PatchAgentDto {
  @IsCardKeys(
    'Public keys, one of which has to have signed the card: a JWK Set, or `{jwksUrl}`. Null: the keys of its origin count again. The card stays in use whatever they say, of one that verifies only what is signed; see `signature`.',
  )
  cardKeys?: Record<string, unknown> | null;

  @AreOrganizations('The organizations that may use the agent. Null: everybody.')
  organizations?: string[] | null;

  @ApiPropertyOptional({ type: [String] })
  @ValidateIf((_, value) => value !== undefined)
  @IsArray()
  @ArrayMaxSize(100)
  @Matches(TAG, TAG_RULE)
  tags?: string[];

  @ApiPropertyOptional({ type: Number })
  @ValidateIf((_, value) => value !== undefined)
  @IsInt()
  @Min(-MAX_PRIORITY)
  @Max(MAX_PRIORITY)
  priority?: number;

  @ApiPropertyOptional({
    type: Number,
    minimum: 1,
    maximum: MAX_WEIGHT,

    description: 'Its share of the work among equals.',
  })
  @ValidateIf((_, value) => value !== undefined)
  @IsInt()
  @Min(1)
  @Max(MAX_WEIGHT)
  weight?: number;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    minimum: 1,
    maximum: MAX_CONCURRENT,
    description: 'Delegations at once from one process. Null: tasks.maxPerAgent.',
  })
  @IfPresent()
  @IsInt()
  @Min(1)
  @Max(MAX_CONCURRENT)
  maxConcurrent?: number | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    minimum: 1,
    maximum: MAX_QUEUE,
    description: 'Delegations that may wait for it. Null: agents.maxQueue.',
  })
  @IfPresent()
  @IsInt()
  @Min(1)
  @Max(MAX_QUEUE)
  maxQueue?: number | null;

  @ApiPropertyOptional({ type: Boolean })
  @ValidateIf((_, value) => value !== undefined)
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      "Null: the card's URL again. At another origin the stored credentials are dropped; give them again.",
  })
  @IfPresent()
  @IsUrl(ENDPOINT_RULE)
  @MaxLength(MAX_URL)
  endpointOverride?: string | null;

  @ApiPropertyOptional({ enum: BINDINGS, nullable: true, description: "Null: the hub's choice." })
  @IfPresent()
  @IsIn(BINDINGS)
  protocolBinding?: AgentEndpoint['protocolBinding'] | null;

  @ApiPropertyOptional({ enum: VERSIONS, nullable: true, description: "Null: the hub's choice." })
  @IfPresent()
  @IsIn(VERSIONS)
  protocolVersion?: AgentEndpoint['protocolVersion'] | null;

  @ApiPropertyOptional({
    type: BudgetsDto,
    nullable: true,
    description: 'Null: the defaults again.',
  })
  @IfPresent()
  @ValidateNested()
  @Type(() => BudgetsDto)
  budgets?: BudgetsDto | null;

  @ApiPropertyOptional({
    ...HEADERS,
    nullable: true,
    description:
      'Each header is set, or removed by null; the others stay. All are then for the servers of the card in use, or of the override.',
  })
  @IfPresent()
  @IsObject()
  credentials?: Record<string, unknown> | null;

  @ApiPropertyOptional({ ...HEADERS, nullable: true, description: 'As `credentials`.' })
  @IfPresent()
  @IsObject()
  cardHeaders?: Record<string, unknown> | null;
}

export class AgentQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ type: String, description: "A tag of the operator's or of a skill." })
  @IsOptional()
  @IsString()
  @MaxLength(100)
  tag?: string;

  @ApiPropertyOptional({ type: String, description: 'The id of a skill.' })
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  skill?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'Part of the name, the description or the name of a skill.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  text?: string;

  @ApiPropertyOptional({ enum: ['enabled', 'disabled'] })
  @IsOptional()
  @IsIn(['enabled', 'disabled'])
  state?: 'enabled' | 'disabled';
}

export class AgentEndpointDto {
  @ApiProperty({ type: String })
  readonly url!: string;

  @ApiProperty({ enum: ['JSONRPC', 'HTTP+JSON', 'GRPC'] })
  readonly protocolBinding!: string;

  @ApiProperty({ enum: ['1.0', '0.3'] })
  readonly protocolVersion!: string;

  @ApiProperty({ type: String, description: 'Empty when the interface names none.' })
  readonly tenant!: string;
}

const OUTCOMES: readonly SignatureOutcome[] = [
  'verified',
  'unsigned',
  'unverified',
  'invalid',
  'unchecked',
];

export class CardSignatureDto implements CardSignature {
  @ApiProperty({
    enum: OUTCOMES,
    description:
      'unverified: there is no trusted key for it; invalid: there is, and it does not match the card; unchecked: agents.cardSignatures is off.',
  })
  readonly outcome!: SignatureOutcome;

  @ApiProperty({ type: String, nullable: true })
  readonly keyId!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'ES256' })
  readonly algorithm!: string | null;

  @ApiProperty({
    enum: ['agent', 'origin', 'card'],
    nullable: true,
    description: "Whose key: pinned for the agent, trusted for the origin, or the origin's own.",
  })
  readonly keySource!: CardSignature['keySource'];

  @ApiProperty({ type: String, nullable: true, description: 'RFC 7638, of the key itself.' })
  readonly keyThumbprint!: string | null;

  @ApiProperty({
    type: Boolean,
    description: 'The card, or one before it, has verified: only a verified one takes its place.',
  })
  readonly wasVerified!: boolean;

  @ApiProperty({ type: String })
  readonly reason!: string;
}

export class AgentInterfaceDto {
  @ApiProperty({ type: String })
  readonly url!: string;

  @ApiProperty({ type: String })
  readonly protocolBinding!: string;

  @ApiProperty({ type: String })
  readonly protocolVersion!: string;

  @ApiProperty({ type: Boolean, description: 'Whether this is the one the hub calls.' })
  readonly chosen!: boolean;

  @ApiProperty({ type: String })
  readonly reason!: string;
}

export class CardChangeDto {
  @ApiProperty({ type: String, example: 'skills[profile].tags' })
  readonly field!: string;

  @ApiProperty({ enum: ['added', 'removed', 'changed'] })
  readonly change!: 'added' | 'removed' | 'changed';

  @ApiPropertyOptional({ description: 'Absent when added.' })
  readonly before?: unknown;

  @ApiPropertyOptional({ description: 'Absent when removed.' })
  readonly after?: unknown;
}
