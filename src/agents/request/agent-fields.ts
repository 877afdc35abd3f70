import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsInt,
  IsObject,
  Matches,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';
import { NAME, NAMES_RULE } from '../../common/http/fields.js';
import type { AgentBudgets } from '../agent.js';

export const MAX_PRIORITY = 1_000_000;
export const MAX_WEIGHT = 1000;
export const MAX_CONCURRENT = 100_000;
export const MAX_QUEUE = 1_000_000;
/** Hosts without a dot (`localhost`, names of containers) count; what may be called, egress says. */
export const URL_RULE = {
  protocols: ['http', 'https'],
  require_protocol: true,
  require_tld: false,
  allow_underscores: true,
};
export const URL_TEXT = {
  message: '$property must be an http or https address, such as https://agent.example',
};
export const ENDPOINT_RULE = { ...URL_RULE, protocols: ['http', 'https', 'grpc', 'grpcs'] };
export const ENDPOINT_TEXT = {
  message:
    '$property must be an http, https, grpc or grpcs address, such as https://agent.example/a2a',
};
export const VERSIONS = ['1.0', '0.3'] as const;
export const MAX_URL = 2048;
/** The positions and limits of an agent's switches. */
export const SWITCHES = {
  streaming: ['off'],
  blocking: ['on'],
  /** An hour: as long as `agents.pollMax` may be. */
  pollMs: { min: 10, max: 3_600_000 },
  files: ['once', 'twice'],
} as const;

const YEAR_MS = 365 * 24 * 3600 * 1000;
/** The longest of each budget of an agent's own; the least is a millisecond. */
export const MAX_BUDGETS: Readonly<Record<keyof AgentBudgets, number>> = {
  connectMs: 600_000,
  firstEventMs: YEAR_MS,
  idleMs: YEAR_MS,
  totalMs: YEAR_MS,
  cancelWaitMs: 3_600_000,
};

export const HEADERS = {
  type: 'object',
  additionalProperties: { type: 'string' },
  example: { authorization: 'Bearer …' },
} as const;

/** Absent leaves a member as it is; null is a value of its own. */
export const IfPresent = () => ValidateIf((_, value) => value !== undefined && value !== null);

export const IsCardKeys = (description: string) =>
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

export const AreOrganizations = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: [String], nullable: true, description }),
    IfPresent(),
    IsArray(),
    ArrayNotEmpty(),
    ArrayMaxSize(1000),
    Matches(NAME, NAMES_RULE),
  );

/** A limit of the agent's own; null: the hub's. */
export const IsOwnLimit = (maximum: number, description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: Number, nullable: true, minimum: 1, maximum, description }),
    IfPresent(),
    IsInt(),
    Min(1),
    Max(maximum),
  );
