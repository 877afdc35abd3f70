import type { AgentLoad } from '../../agents/index.js';
import type { Clock } from '../../common/clock.js';
import type { Log } from '../../common/logger.js';
import type { AgentDelegations } from '../agent-delegations.js';
import { isHeld } from '../domain/unsent.js';
import { OVER } from '../over.js';
import type { TaskStore } from '../task-store.js';

/** How often it is counted what all processes have put into the queues. */
const COUNT_EVERY_MS = 1000;

export interface WaitingLineDeps {
  readonly store: Pick<TaskStore, 'onClaimed' | 'onCommitted'>;
  readonly delegations: AgentDelegations;
  readonly load: Pick<AgentLoad, 'waiting'>;
  readonly clock: Clock;
  readonly logger: Log;
  /** No other process writes to this database. */
  readonly soleProcess: boolean;
}

/**
 * Counts the delegations that wait for each agent and tells {@link AgentLoad}. Where one process is
 * alone the count is exact as of the last commit. Where several share a database it is what one query a
 * second finds, with this process's own changes since: up to a second old.
 */
export class WaitingLine {
  /** Those that wait as this process has seen it, by id, and since which count. */
  private readonly own = new Map<string, { readonly agentId: string; readonly round: number }>();
  /** How many of {@link own} each agent has. */
  private readonly ownOf = new Map<string, number>();
  /** The last count over all processes. */
  private counted = new Map<string, number>();
  private round = 0;
  private readonly stopping = new AbortController();

  constructor(private readonly deps: WaitingLineDeps) {}

  /** Resolves when what waits already is counted. */
  async start(): Promise<void> {
    const { store, delegations, soleProcess } = this.deps;
    store.onCommitted((written) => {
      for (const { delegation } of written) {
        const { id, agentId, state } = delegation;
        if (state === 'queued' && !isHeld(delegation)) this.joined(id, agentId);
        else this.left(id);
      }
    });
    store.onClaimed((claimed) => {
      for (const { delegations: each, adopted } of claimed) {
        // What was adopted has not waited.
        for (const { id, agentId } of each) {
          if (!this.left(id) && !adopted.has(id)) this.uncount(agentId);
        }
      }
    });
    if (!soleProcess) return void this.countRegularly();
    for (const { id, agentId } of await delegations.waiting()) this.joined(id, agentId);
  }

  stop(): void {
    this.stopping.abort(OVER);
  }

  /** Waits for this agent from now on. */
  joined(id: string, agentId: string): void {
    const known = this.own.get(id);
    if (known?.agentId === agentId) return;
    if (known) this.left(id);
    this.own.set(id, { agentId, round: this.round });
    this.change(this.ownOf, agentId, 1);
  }

  /** False when it was not known to wait. */
  private left(id: string): boolean {
    const known = this.own.get(id);
    if (!known) return false;
    this.own.delete(id);
    this.change(this.ownOf, known.agentId, -1);
    return true;
  }

  /** One of those another process had put there. */
  private uncount(agentId: string): void {
    if (this.counted.has(agentId)) this.change(this.counted, agentId, -1);
  }

  private async countRegularly(): Promise<void> {
    const { clock, logger } = this.deps;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.count();
      } catch (error) {
        logger.warn({ err: error }, 'waiting delegations could not be counted');
      }
      await clock.sleep(COUNT_EVERY_MS, signal);
    }
  }

  private async count(): Promise<void> {
    this.round += 1;
    const counted = new Map(await this.deps.delegations.waitingByAgent());
    const agents = new Set([...this.counted.keys(), ...counted.keys()]);
    this.counted = counted;
    // What this process had put there before is in the count now.
    for (const [id, { round }] of this.own) if (round < this.round) this.left(id);
    for (const agentId of agents) this.tell(agentId);
  }

  private change(counts: Map<string, number>, agentId: string, by: number): void {
    const count = (counts.get(agentId) ?? 0) + by;
    if (count > 0) counts.set(agentId, count);
    else counts.delete(agentId);
    this.tell(agentId);
  }

  private tell(agentId: string): void {
    const count = (this.counted.get(agentId) ?? 0) + (this.ownOf.get(agentId) ?? 0);
    this.deps.load.waiting(agentId, count);
  }
}
