import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import type { AgentSwitches } from './agent.js';

/** An hour: as long as `agents.pollMax` may be. */
const MAX_POLL_MS = 3_600_000;

export class SwitchesDto implements Partial<Record<keyof AgentSwitches, unknown>> {
  @ApiPropertyOptional({
    enum: ['off'],
    nullable: true,
    description: 'off: it is never asked to stream, whatever its card says; its task is polled.',
  })
  @IsOptional()
  @IsIn(['off'])
  streaming?: AgentSwitches['streaming'] | null;

  @ApiPropertyOptional({
    enum: ['on'],
    nullable: true,
    description:
      'on: where it does not stream, a message is sent as one that waits for the end, for agents that cannot be asked for their task. The wait is bounded by the budgets.',
  })
  @IsOptional()
  @IsIn(['on'])
  blocking?: AgentSwitches['blocking'] | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    minimum: 10,
    maximum: MAX_POLL_MS,
    description:
      'The pause between two looks at its task, instead of one that grows from agents.pollMin to agents.pollMax.',
  })
  @IsOptional()
  @IsInt()
  @Min(10)
  @Max(MAX_POLL_MS)
  pollIntervalMs?: number | null;

  @ApiPropertyOptional({
    enum: ['once', 'twice'],
    nullable: true,
    description:
      'How it has the bytes of files over HTTP+JSON and gRPC of 0.3: twice is base64 of base64. Null: the hub asks the server what it is.',
  })
  @IsOptional()
  @IsIn(['once', 'twice'])
  files?: AgentSwitches['files'] | null;
}
