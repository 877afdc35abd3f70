import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import type { AgentBudgets } from './agent.js';

const YEAR_MS = 365 * 24 * 3600 * 1000;

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
