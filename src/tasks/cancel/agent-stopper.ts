import { Inject, Injectable } from '@nestjs/common';
import { AgentRegistry, AgentsService } from '../../agents/index.js';
import type { Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { Database } from '../../database/database.js';
import { namesBy } from '../domain/agent-name.js';
import { AgentDelegations, type DelegationRef } from '../store/agent-delegations.js';
import { decideAgentStopped } from '../domain/agent-stopped.js';
import { endedBy } from '../domain/ended-by.js';
import { TaskLog } from '../log/task-log.js';

/** Delegations ended at once. */
const CHUNK = 100;
/** Until every process knows that the agent is disabled, and what was begun before is committed. */
const KNOWN_EVERYWHERE_MS = 1500;

/** The result of stopping an agent, in delegations. */
export interface Stopped {
  /** Ended; a cancel goes to the agent. */
  readonly canceled: number;
  /** Not sent yet: failed over to the next agent of their route. */
  readonly movedOn: number;
}

/** Disables an agent and ends the delegations it works on, whichever process runs them. */
@Injectable()
export class AgentStopper {
  constructor(
    private readonly delegations: AgentDelegations,
    private readonly log: TaskLog,
    private readonly clock: Clock,
    @Inject(AgentsService) private readonly agents: Pick<AgentsService, 'disable'>,
    @Inject(AgentRegistry) private readonly registry: Pick<AgentRegistry, 'known'>,
    private readonly database: Database,
  ) {}

  /**
   * Resolves when every end is committed; the cancels go to the agent in the background, one for each of its
   * tasks. Safe to repeat. Throws HubError NOT_FOUND.
   */
  async stop(agentId: string, caller: Principal): Promise<Stopped> {
    await this.agents.disable(agentId, caller);
    const first = await this.endAll(agentId);
    if (this.database.soleProcess) return first;
    await this.clock.sleep(KNOWN_EVERYWHERE_MS);
    const late = await this.endAll(agentId);
    return { canceled: first.canceled + late.canceled, movedOn: first.movedOn + late.movedOn };
  }

  private async endAll(agentId: string): Promise<Stopped> {
    let canceled = 0;
    let movedOn = 0;
    for (let after = ''; ;) {
      const open = await this.delegations.open(agentId, after, CHUNK);
      const last = open.at(-1);
      if (last === undefined) return { canceled, movedOn };
      const ends = await Promise.all(open.map((each) => this.end(each)));
      canceled += ends.filter((end) => end === 'canceled').length;
      movedOn += ends.filter((end) => end === 'failed over').length;
      after = last.id;
    }
  }

  private async end({ id, taskId }: DelegationRef): Promise<'canceled' | 'failed over' | 'ended'> {
    const { log, clock, registry } = this;
    const { ended, isChanged } = await log.update(taskId, (aggregate) => {
      const change = decideAgentStopped(aggregate, id, clock.now(), namesBy(registry));
      const isChanged = (change.delegations ?? []).length > 0;
      return { change, result: { ended: endedBy(aggregate, change), isChanged } };
    });
    if (ended.some((each) => each.id === id)) return 'canceled';
    return isChanged ? 'failed over' : 'ended';
  }
}
