import { Int } from '../../common/http/fields.js';
import type { AgentBudgets } from '../agent.js';
import { MAX_BUDGETS } from './agent-fields.js';

export class BudgetsDto implements Partial<Record<keyof AgentBudgets, number | null>> {
  @Int({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_BUDGETS.connectMs,
    description: 'To connect.',
  })
  connectMs?: number | null;

  @Int({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_BUDGETS.firstEventMs,
    description: 'From sending a message to the first event or answer.',
  })
  firstEventMs?: number | null;

  @Int({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_BUDGETS.idleMs,
    description: 'Between events.',
  })
  idleMs?: number | null;

  @Int({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_BUDGETS.totalMs,
    description: 'First send to end.',
  })
  totalMs?: number | null;

  @Int({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_BUDGETS.cancelWaitMs,
    description: "How long a cancel waits for the agent's answer.",
  })
  cancelWaitMs?: number | null;
}
