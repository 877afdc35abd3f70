import type { Agent, AgentCallback } from '../../agents/index.js';
import { BackgroundJob, type NextRun } from '../../common/background-job.js';
import type { Clock } from '../../common/clock.js';
import type { Log } from '../../common/logger.js';
import { KeyedSignal } from '../../common/signal.js';
import type { Signals } from '../signals.js';
import type { CallbackStore } from './callback-store.js';
import { callbackToken, isCallbackToken } from './callback-token.js';

/** Where agents call back, below `publicUrl`; the delegation's id follows. */
export const CALLBACK_PATH = '/callbacks/agents';

/** How often a process looks for callbacks that came to another one, while somebody waits for any. */
const LOOK_EVERY_MS = 250;

export interface AgentCallbacksDeps {
  readonly store: CallbackStore;
  readonly signals: Signals;
  readonly clock: Clock;
  readonly logger: Log;
  /** What tokens are made of; the same in every process. */
  readonly secret: () => Promise<string>;
  /** `auto`: agents are offered an address when `publicUrl` is set. */
  readonly mode: 'auto' | 'off';
  readonly publicUrl: string | null;
  /** Other processes may be called for what runs here. */
  readonly shared: boolean;
}

/** What has been learned of an agent, under the card it was learned with. */
interface Reputation {
  readonly card: string;
  /** `calls`: it has called back. `refuses`: it does not take a message with an address to call. */
  readonly standing: 'calls' | 'refuses';
}

/**
 * Agents that cannot stream but can push are given an address of the hub to call when their task has
 * changed. A call is believed nothing: it only makes the runner ask the agent for its task at once.
 */
export class AgentCallbacks {
  /** By the id of the delegation. */
  private readonly called = new KeyedSignal();
  private readonly known = new Map<string, Reputation>();
  /** Looks while somebody listens; not where all callbacks come to this process. */
  private readonly job: BackgroundJob;

  constructor(private readonly deps: AgentCallbacksDeps) {
    const rules = {
      name: 'agent callbacks',
      failure: 'looking for agent callbacks failed',
      run: () => this.look(),
    };
    this.job = new BackgroundJob(rules, deps.clock, deps.logger);
    if (deps.shared) this.job.start();
    deps.signals.onAgentCall((id) => this.heard(id));
  }

  /** What goes to the agent with a message of this delegation; undefined when it gets no address. */
  async offerTo(agent: Agent, delegationId: string): Promise<AgentCallback | undefined> {
    const { publicUrl, secret } = this.deps;
    if (publicUrl === null || !this.mayCall(agent)) return undefined;
    if (this.standingOf(agent) === 'refuses') return undefined;
    return {
      url: `${publicUrl}${CALLBACK_PATH}/${delegationId}`,
      token: callbackToken(await secret(), delegationId),
    };
  }

  /** The agent has refused a message with an address and taken it without: it is offered none again. */
  refusedBy(agent: Agent): void {
    this.known.set(agent.id, { card: agent.originalCard, standing: 'refuses' });
  }

  /** The agent announces changes, as far as is known: it need not be asked often. */
  isCalledBy(agent: Agent): boolean {
    return this.standingOf(agent) === 'calls';
  }

  /** Something had changed that the agent did not announce: it is asked often again. */
  missedBy(agent: Agent): void {
    if (this.isCalledBy(agent)) this.known.delete(agent.id);
  }

  /**
   * Somebody calls about a delegation, with these tokens. False when none of them is right, which looks
   * the same for a delegation that does not exist. Many calls before the agent is asked are one.
   */
  async receive(delegationId: string, tokens: readonly string[]): Promise<boolean> {
    const { secret, shared, store, clock, signals } = this.deps;
    const key = await secret();
    if (!tokens.some((token) => isCallbackToken(key, delegationId, token))) return false;
    if (shared) await store.note(delegationId, clock.now());
    signals.agentCalled(delegationId);
    return true;
  }

  /** Calls `ring` at every callback of this agent about this delegation, until the returned function is called. */
  listen(agent: Agent, delegationId: string, ring: () => void): () => void {
    if (!this.mayCall(agent)) return () => undefined;
    const entry = (): void => {
      this.known.set(agent.id, { card: agent.originalCard, standing: 'calls' });
      ring();
    };
    if (!this.called.isHeard) this.job.wake();
    const leave = this.called.listen(delegationId, entry);
    return () => {
      leave();
      if (!this.called.isHeard) this.job.wake();
    };
  }

  private mayCall({ card }: Agent): boolean {
    const { mode, publicUrl } = this.deps;
    return mode === 'auto' && publicUrl !== null && card.capabilities?.pushNotifications === true;
  }

  private standingOf({ id, originalCard }: Agent): Reputation['standing'] | undefined {
    const known = this.known.get(id);
    return known?.card === originalCard ? known.standing : undefined;
  }

  private heard(delegationId: string): void {
    if (!this.called.hears(delegationId)) return;
    if (this.deps.shared) this.job.wake();
    else this.called.emit(delegationId);
  }

  /** A look that fails costs nothing: the agent is polled all the same. */
  private async look(): Promise<NextRun> {
    if (!this.called.isHeard) return undefined;
    for (const id of await this.deps.store.take(this.called.keys)) this.called.emit(id);
    return LOOK_EVERY_MS;
  }
}
