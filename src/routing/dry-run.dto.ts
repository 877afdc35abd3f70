import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import {
  DIRECTIVE_LIMITS,
  MATCHES,
  REQUIRE_POLICIES,
  STRATEGIES,
  type RequirePolicy,
  type Strategy,
} from '../protocol/routing-extension.js';
import type { Candidate, Route, RouteReason } from './domain/route.js';

const REASONS: readonly RouteReason[] = ['agent', 'skill', 'tags', 'affinity', 'default'];

/** A message to be routed without sending it: what a send would carry, or the wishes alone. */
export class DryRunDto {
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'An A2A message (1.0 JSON); its parts and metadata count as they would in a send.',
  })
  @IsOptional()
  @IsObject()
  message?: Record<string, unknown>;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'The metadata of the send request.',
  })
  @IsOptional()
  @IsObject()
  metadata?: Record<string, unknown>;

  @ApiPropertyOptional({ type: [String], description: 'Media types the client takes back.' })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  acceptedOutputModes?: string[];

  @ApiPropertyOptional({
    type: [String],
    description: 'Extension URIs asked for, as `A2A-Extensions` would name them.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(64)
  @IsString({ each: true })
  extensions?: string[];

  @ApiPropertyOptional({ type: String, description: 'The agent the address would name.' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  tenant?: string;

  @ApiPropertyOptional({
    type: [String],
    description: 'The agents that handled the last message of the context, in order.',
  })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  affinity?: string[];

  @ApiPropertyOptional({ type: String, description: "An agent's id." })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(DIRECTIVE_LIMITS.textLength)
  agentId?: string;

  @ApiPropertyOptional({
    type: String,
    description: "`agentId.skillId` of the hub's card, or a skill id that agents share.",
  })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(DIRECTIVE_LIMITS.textLength)
  skillId?: string;

  @ApiPropertyOptional({ type: [String] })
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(DIRECTIVE_LIMITS.tags)
  @IsString({ each: true })
  @IsNotEmpty({ each: true })
  tags?: string[];

  @ApiPropertyOptional({ enum: MATCHES, default: 'all' })
  @IsOptional()
  @IsIn(MATCHES)
  match?: 'all' | 'any';

  @ApiPropertyOptional({ enum: STRATEGIES, default: 'one' })
  @IsOptional()
  @IsIn(STRATEGIES)
  strategy?: Strategy;

  @ApiPropertyOptional({ enum: REQUIRE_POLICIES, default: 'all' })
  @IsOptional()
  @IsIn(REQUIRE_POLICIES)
  require?: RequirePolicy;

  @ApiPropertyOptional({ type: Number, maximum: DIRECTIVE_LIMITS.deadlineSeconds })
  @IsOptional()
  @IsNumber()
  @IsPositive()
  @Max(DIRECTIVE_LIMITS.deadlineSeconds)
  deadlineSeconds?: number;

  @ApiPropertyOptional({ type: Number, minimum: 1, maximum: DIRECTIVE_LIMITS.maxAgents })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(DIRECTIVE_LIMITS.maxAgents)
  maxAgents?: number;
}

export class CandidateDto implements Candidate {
  @ApiProperty({ type: String })
  readonly agentId!: string;

  @ApiPropertyOptional({ type: String })
  readonly skillId?: string;

  @ApiProperty({ type: String, description: 'Why it is chosen here, or why it is left out.' })
  readonly why!: string;
}

export class RouteDto implements Route {
  @ApiProperty({ enum: REASONS, description: 'The rule that decided.' })
  readonly reason!: RouteReason;

  @ApiProperty({ enum: STRATEGIES })
  readonly strategy!: Strategy;

  @ApiProperty({ enum: REQUIRE_POLICIES })
  readonly require!: RequirePolicy;

  @ApiPropertyOptional({ type: Number })
  readonly deadlineMs?: number;

  @ApiProperty({
    type: [CandidateDto],
    description: '`one`: asked in this order until one accepts. `all`: each is asked.',
  })
  readonly chosen!: readonly CandidateDto[];

  @ApiProperty({ type: [CandidateDto] })
  readonly skipped!: readonly CandidateDto[];
}
