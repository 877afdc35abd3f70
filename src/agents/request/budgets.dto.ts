import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import type { AgentBudgets } from '../agent.js';
import { MAX_BUDGETS } from './agent-fields.js';

export class BudgetsDto implements Partial<Record<keyof AgentBudgets, number | null>> {
  @ApiPropertyOptional({ type: Number, nullable: true, minimum: 1, description: 'To connect.' })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_BUDGETS.connectMs)
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
  @Max(MAX_BUDGETS.firstEventMs)
  firstEventMs?: number | null;

  @ApiPropertyOptional({ type: Number, nullable: true, minimum: 1, description: 'Between events.' })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_BUDGETS.idleMs)
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
  @Max(MAX_BUDGETS.totalMs)
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
  @Max(MAX_BUDGETS.cancelWaitMs)
  cancelWaitMs?: number | null;
}
