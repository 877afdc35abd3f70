import { Inject, Injectable } from '@nestjs/common';
import { type Agent, AgentRegistry, AgentsService } from '../../agents/index.js';
import type { Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { Database } from '../../database/database.js';
import { namesBy } from '../domain/agent-name.js';
import { agentOf } from '../domain/agent-of.js';
import { AgentDelegations, type DelegationRef } from '../store/agent-delegations.js';
import { decideAgentStopped } from '../domain/agent-stopped.js';
import { endedBy } from '../domain/ended-by.js';
import { TaskLog } from '../log/task-log.js';
import { type Delegation, NO_CHANGE } from '../task.js';

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
    @Inject(AgentRegistry) private readonly registry: Pick<
      AgentRegistry,
      'known' | 'registeredAt' | 'knownAt'
    >,
    private readonly database: Database,
  ) {}

  /**
   * Resolves when every end is committed; the cancels go to the agent in the background, one for each of its
   * tasks. Safe to repeat. Throws HubError NOT_FOUND.
   */
  async stop(agentId: string, caller: Principal): Promise<Stopped> {
    const agent = await this.agents.disable(agentId, caller);
    const first = await this.endAll(agent);
    if (this.database.soleProcess) return first;
    await this.clock.sleep(KNOWN_EVERYWHERE_MS);
    const late = await this.endAll(agent);
    return { canceled: first.canceled + late.canceled, movedOn: first.movedOn + late.movedOn };
  }

  private async endAll(agent: Agent): Promise<Stopped> {
    let canceled = 0;
    let movedOn = 0;
    for (let after = ''; ;) {
      const open = await this.delegations.open(agent.id, after, CHUNK);
      const last = open.at(-1);
      if (last === undefined) return { canceled, movedOn };
      const ends = await Promise.all(open.map((each) => this.end(agent, each)));
      canceled += ends.filter((end) => end === 'canceled').length;
      movedOn += ends.filter((end) => end === 'failed over').length;
      after = last.id;
    }
  }

  private async end(
    agent: Agent,
    { id, taskId }: DelegationRef,
  ): Promise<'canceled' | 'failed over' | 'ended'> {
    const { log, clock, registry } = this;
    const { ended, isChanged } = await log.update(taskId, (aggregate) => {
      const isMeant = aggregate.delegations.some((each) => each.id === id && this.has(agent, each));
      const change = isMeant
        ? decideAgentStopped(aggregate, id, clock.now(), namesBy(registry))
        : NO_CHANGE;
      const isChanged = (change.delegations ?? []).length > 0;
      return { change, result: { ended: endedBy(aggregate, change), isChanged } };
    });
    if (ended.some((each) => each.id === id)) return 'canceled';
    return isChanged ? 'failed over' : 'ended';
  }

  /** Whether it waits for an agent of this id, or is with this one: another one may have had the id before. */
  private has({ createdAt }: Agent, delegation: Delegation): boolean {
    const { state, downstreamTaskId } = delegation;
    const waits = state === 'planned' || (state === 'queued' && downstreamTaskId === null);
    if (waits) return true;
    return agentOf(this.registry, delegation)?.createdAt.getTime() === createdAt.getTime();
  }
}
