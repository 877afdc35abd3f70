import type { Agent } from '../../agents/index.js';
import type { Clock } from '../../common/clock.js';
import { namesBy } from '../agent-name.js';
import type { AgentDelegations, DelegationRef } from '../agent-delegations.js';
import { decideAgentStopped } from '../domain/agent-stopped.js';
import { endedBy } from '../domain/ended-by.js';
import type { TaskLog } from '../task-log.js';

/** Delegations ended at once. */
const CHUNK = 100;
/** Until every process knows that the agent takes no more, and what it began before is committed. */
const KNOWN_EVERYWHERE_MS = 1500;

export interface AgentStopperDeps {
  readonly delegations: AgentDelegations;
  readonly log: TaskLog;
  readonly clock: Clock;
  /** Takes the agent out of service; throws HubError NOT_FOUND. */
  readonly disable: (agentId: string) => Promise<unknown>;
  readonly agent: (agentId: string) => Agent | undefined;
  /** No other process has this database. */
  readonly soleProcess: boolean;
}

/** What came of stopping an agent, in delegations. */
export interface Stopped {
  /** Ended, their agent told to cancel. */
  readonly canceled: number;
  /** Not sent yet: handed to the next agent of their route. */
  readonly movedOn: number;
}

/** Takes an agent out of service and ends what it works on, whichever process follows it. */
export class AgentStopper {
  constructor(private readonly deps: AgentStopperDeps) {}

  /**
   * Resolves when every task says so; the agent is told in the background, once for each of its tasks.
   * Asking again is safe. Throws HubError NOT_FOUND.
   */
  async stop(agentId: string): Promise<Stopped> {
    await this.deps.disable(agentId);
    const first = await this.endAll(agentId);
    if (this.deps.soleProcess) return first;
    await this.deps.clock.sleep(KNOWN_EVERYWHERE_MS);
    const late = await this.endAll(agentId);
    return { canceled: first.canceled + late.canceled, movedOn: first.movedOn + late.movedOn };
  }

  private async endAll(agentId: string): Promise<Stopped> {
    let canceled = 0;
    let movedOn = 0;
    for (let after = ''; ;) {
      const open = await this.deps.delegations.open(agentId, after, CHUNK);
      const last = open.at(-1);
      if (last === undefined) return { canceled, movedOn };
      const ends = await Promise.all(open.map((each) => this.end(each)));
      canceled += ends.filter((end) => end === 'canceled').length;
      movedOn += ends.filter((end) => end === 'moved on').length;
      after = last.id;
    }
  }

  private async end({ id, taskId }: DelegationRef): Promise<'canceled' | 'moved on' | 'ended'> {
    const { log, clock, agent } = this.deps;
    const { ended, isChanged } = await log.update(taskId, (aggregate) => {
      const change = decideAgentStopped(aggregate, id, clock.now(), namesBy(agent));
      const isChanged = (change.delegations ?? []).length > 0;
      return { change, result: { ended: endedBy(aggregate, change), isChanged } };
    });
    if (ended.some((each) => each.id === id)) return 'canceled';
    return isChanged ? 'moved on' : 'ended';
  }
}
