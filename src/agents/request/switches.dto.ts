import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import type { AgentSwitches } from '../agent.js';
import { SWITCHES } from './agent-fields.js';

const { pollMs } = SWITCHES;

export class SwitchesDto implements Partial<Record<keyof AgentSwitches, unknown>> {
  @ApiPropertyOptional({
    enum: SWITCHES.streaming,
    nullable: true,
    description:
      'off: the hub never streams from it, whatever its card says; its tasks are polled.',
  })
  @IsOptional()
  @IsIn(SWITCHES.streaming)
  streaming?: AgentSwitches['streaming'] | null;

  @ApiPropertyOptional({
    enum: SWITCHES.blocking,
    nullable: true,
    description:
      'on: where it does not stream, messages are sent as blocking, for agents that do not answer GetTask. The budgets bound the wait.',
  })
  @IsOptional()
  @IsIn(SWITCHES.blocking)
  blocking?: AgentSwitches['blocking'] | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    minimum: pollMs.min,
    maximum: pollMs.max,
    description:
      'A fixed polling interval, instead of one that grows from agents.pollMin to agents.pollMax.',
  })
  @IsOptional()
  @IsInt()
  @Min(pollMs.min)
  @Max(pollMs.max)
  pollIntervalMs?: number | null;

  @ApiPropertyOptional({
    enum: SWITCHES.files,
    nullable: true,
    description:
      'How it encodes the bytes of files over HTTP+JSON and gRPC of 0.3: twice is base64 of base64. Null: the hub detects it.',
  })
  @IsOptional()
  @IsIn(SWITCHES.files)
  files?: AgentSwitches['files'] | null;
}
