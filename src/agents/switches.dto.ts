import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import type { AgentSwitches } from './agent.js';
import { SWITCHES } from './agent-fields.js';

const { pollMs } = SWITCHES;

export class SwitchesDto implements Partial<Record<keyof AgentSwitches, unknown>> {
  @ApiPropertyOptional({
    enum: SWITCHES.streaming,
    nullable: true,
    description: 'off: it is never asked to stream, whatever its card says; its task is polled.',
  })
  @IsOptional()
  @IsIn(SWITCHES.streaming)
  streaming?: AgentSwitches['streaming'] | null;

  @ApiPropertyOptional({
    enum: SWITCHES.blocking,
    nullable: true,
    description:
      'on: where it does not stream, a message is sent as one that waits for the end, for agents that cannot be asked for their task. The wait is bounded by the budgets.',
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
      'The pause between two looks at its task, instead of one that grows from agents.pollMin to agents.pollMax.',
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
      'How it has the bytes of files over HTTP+JSON and gRPC of 0.3: twice is base64 of base64. Null: the hub asks the server what it is.',
  })
  @IsOptional()
  @IsIn(SWITCHES.files)
  files?: AgentSwitches['files'] | null;
}
