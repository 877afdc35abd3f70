import { Inject, Injectable } from '@nestjs/common';
import type { Agent, AgentCallback } from '../../agents/index.js';
import { BackgroundJob, type NextRun } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { KeyedSignal } from '../../common/signal.js';
import { AppConfig } from '../../config/index.js';
import { Database } from '../../database/database.js';
import { HubSettings } from '../../database/hub-settings.js';
import { Signals } from '../signals/signals.js';
import { CallbackStore } from './callback-store.js';
import { callbackToken, isCallbackToken } from './callback-token.js';

/** Where agents call back, below `publicUrl`; the delegation's id follows. */
export const CALLBACK_PATH = '/callbacks/agents';

/** How often a process looks for callbacks that came to another one, while any delegation waits for one. */
const LOOK_EVERY_MS = 250;

/** The part of the configuration that says whether agents are offered an address, and below which URL. */
interface CallbackConfig {
  readonly publicUrl: string | null;
  readonly agents: Pick<AppConfig['agents'], 'callbacks'>;
}

/** What has been learned of an agent, under the card it was learned with. */
interface Reputation {
  readonly card: string;
  /** `calls`: it has called back. `refuses`: it refuses a message with a callback address. */
  readonly status: 'calls' | 'refuses';
}

/**
 * Agents that cannot stream but can push are given an address of the hub to call when their task has changed.
 * The content of a call is not trusted: it only makes the runner poll the agent for its task at once.
 */
@Injectable()
export class AgentCallbacks {
  /** By the id of the delegation. */
  private readonly called = new KeyedSignal();
  private readonly known = new Map<string, Reputation>();
  /** Looks for callbacks while any delegation waits for one; not where all of them come to this process. */
  private readonly job: BackgroundJob;

  constructor(
    @Inject(AppConfig) private readonly config: CallbackConfig,
    @Inject(Database) private readonly database: Pick<Database, 'soleProcess'>,
    @Inject(HubSettings) private readonly settings: Pick<HubSettings, 'callbackSecret'>,
    private readonly store: CallbackStore,
    private readonly signals: Signals,
    private readonly clock: Clock,
    logger: Log,
  ) {
    const rules = {
      name: 'agent callbacks',
      failure: 'looking for agent callbacks failed',
      run: () => this.look(),
    };
    this.job = new BackgroundJob(rules, clock, logger);
    if (this.isShared) this.job.start();
    signals.onAgentCall((id) => this.onCall(id));
  }

  /** The callback address for a message of this delegation; undefined when the agent gets none. */
  async offerTo(agent: Agent, delegationId: string): Promise<AgentCallback | undefined> {
    const { publicUrl } = this.config;
    if (publicUrl === null || !this.mayCall(agent)) return undefined;
    if (this.statusOf(agent) === 'refuses') return undefined;
    return {
      url: `${publicUrl}${CALLBACK_PATH}/${delegationId}`,
      token: callbackToken(await this.settings.callbackSecret(), delegationId),
    };
  }

  /** The agent has refused a message with an address and taken it without: it is offered none again. */
  refusedBy(agent: Agent): void {
    this.known.set(agent.id, { card: agent.originalCard, status: 'refuses' });
  }

  /** The agent announces changes, as far as is known: it need not be polled often. */
  isCalledBy(agent: Agent): boolean {
    return this.statusOf(agent) === 'calls';
  }

  /** The agent has not announced a change: it is polled often again. */
  missedBy(agent: Agent): void {
    if (this.isCalledBy(agent)) this.known.delete(agent.id);
  }

  /**
   * A callback about a delegation, with these tokens. False when none of them is right, and also for a
   * delegation that does not exist. Many calls before the agent is polled count as one.
   */
  async receive(delegationId: string, tokens: readonly string[]): Promise<boolean> {
    const { store, clock, signals } = this;
    const key = await this.settings.callbackSecret();
    if (!tokens.some((token) => isCallbackToken(key, delegationId, token))) return false;
    if (this.isShared) await store.note(delegationId, clock.now());
    signals.agentCalled(delegationId);
    return true;
  }

  /** Calls `onCallback` at every callback of this agent about this delegation, until the returned function is called. */
  listen(agent: Agent, delegationId: string, onCallback: () => void): () => void {
    if (!this.mayCall(agent)) return () => undefined;
    const entry = (): void => {
      this.known.set(agent.id, { card: agent.originalCard, status: 'calls' });
      onCallback();
    };
    if (!this.called.hasListeners) this.job.wake();
    const unsubscribe = this.called.listen(delegationId, entry);
    return () => {
      unsubscribe();
      if (!this.called.hasListeners) this.job.wake();
    };
  }

  /** Other processes may be called for what runs here. */
  private get isShared(): boolean {
    return !this.database.soleProcess;
  }

  private mayCall({ card }: Agent): boolean {
    const { agents, publicUrl } = this.config;
    return (
      agents.callbacks === 'auto' &&
      publicUrl !== null &&
      card.capabilities?.pushNotifications === true
    );
  }

  private statusOf({ id, originalCard }: Agent): Reputation['status'] | undefined {
    const known = this.known.get(id);
    return known?.card === originalCard ? known.status : undefined;
  }

  private onCall(delegationId: string): void {
    if (!this.called.hasListenersFor(delegationId)) return;
    if (this.isShared) this.job.wake();
    else this.called.emit(delegationId);
  }

  /** A look that fails costs nothing: the agent is polled all the same. */
  private async look(): Promise<NextRun> {
    if (!this.called.hasListeners) return undefined;
    for (const id of await this.store.take(this.called.keys)) this.called.emit(id);
    return LOOK_EVERY_MS;
  }
}
