import { Injectable } from '@nestjs/common';
import { TaskState } from '../../protocol/a2a.js';
import { QueueDepth } from '../capacity/queue-depth.js';
import { UsageLedger } from '../quotas/usage-ledger.js';
import { OpenWork } from '../store/open-work.js';

const OPEN_STATES = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  inputRequired: TaskState.TASK_STATE_INPUT_REQUIRED,
  authRequired: TaskState.TASK_STATE_AUTH_REQUIRED,
} as const;
type OpenState = keyof typeof OPEN_STATES;
const NAMES = Object.keys(OPEN_STATES) as OpenState[];

/** Tasks of one state that are counted. */
const MOST = 10_000;
/** Agents that are shown with their queues. */
const SHOWN = 10;
/** Queues whose first is looked at. */
const LOOKED_AT = 50;

/** Open tasks by state; `isLeast`: more than one state has so many that they were not all counted. */
export interface OpenTasks extends Readonly<Record<OpenState, number>> {
  readonly total: number;
  readonly isLeast: boolean;
}

/** What waits for agents. */
export interface QueueLoad {
  readonly waiting: number;
  /** Since when the first of the longest queues waits; null: none does. */
  readonly oldestSince: Date | null;
  /** The longest queues first. */
  readonly agents: readonly { readonly agentId: string; readonly waiting: number }[];
}

/** Open tasks and queues, of all organizations (null) or of one. */
@Injectable()
export class WorkLoad {
  constructor(
    private readonly work: OpenWork,
    private readonly ledger: UsageLedger,
    private readonly queues: QueueDepth,
  ) {}

  async open(organization: string | null): Promise<OpenTasks> {
    const counts = await Promise.all(
      NAMES.map((name) => this.work.inState(OPEN_STATES[name], organization, MOST)),
    );
    const byState = Object.fromEntries(NAMES.map((name, index) => [name, counts[index]!]));
    const states = byState as Record<OpenState, number>;
    const { openTasks } =
      organization === null ? this.ledger.total() : this.ledger.ofOrganization(organization);
    const counted = NAMES.reduce((sum, name) => sum + states[name], 0);
    const cut = NAMES.filter((name) => states[name] >= MOST);
    // Of one state alone that has too many, the total of all says how many they are.
    const [only] = cut;
    if (cut.length === 1 && only !== undefined) {
      states[only] = Math.max(MOST, openTasks - (counted - states[only]));
    }
    const total = cut.length === 0 ? counted : Math.max(openTasks, counted);
    return { ...states, total, isLeast: cut.length > 1 };
  }

  async queue(organization: string | null): Promise<QueueLoad> {
    const waiting = this.queues.waitingBy(organization);
    const byAgent = new Map<string, number>();
    for (const { agentId, count } of waiting) {
      byAgent.set(agentId, (byAgent.get(agentId) ?? 0) + count);
    }
    const longest = [...waiting].sort((a, b) => b.count - a.count).slice(0, LOOKED_AT);
    return {
      waiting: waiting.reduce((sum, { count }) => sum + count, 0),
      oldestSince: await this.work.oldestQueued(longest),
      agents: [...byAgent]
        .map(([agentId, count]) => ({ agentId, waiting: count }))
        .sort((a, b) => b.waiting - a.waiting)
        .slice(0, SHOWN),
    };
  }
}
