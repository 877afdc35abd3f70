import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AgentRegistry, type Audience } from '../agents/index.js';
import type { Principal } from '../auth/index.js';
import { BackgroundJob } from '../common/background-job.js';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
import type { Message } from '../protocol/a2a.js';
import { offeredComposites } from './composites/domain/offered.js';
import { AgentIndex } from './domain/agent-index.js';
import { externalCandidates, externalQuestion, followExternal } from './domain/external-order.js';
import type { TextFinding } from './domain/find-text.js';
import { CompositeSource, prepareUsable } from './composite-source.js';
import { textOf } from './domain/message-text.js';
import type { TextMatch } from './domain/text-index.js';
import { ExternalRouter } from './external-router.js';
import { TextView, type Usable } from './text-view.js';

/** How often indexes are brought up to what is registered, so that no message has to wait for that. */
const LOOK_EVERY_MS = 1000;
const CANNOT_INDEX = 'skills could not be indexed for the text match';
/** Indexes that are kept, those asked last. An organization that has left them has its made anew. */
const MAX_VIEWS = 50;
/** No caller's organization: it may use what every organization may. */
const ANYBODY: Principal = { id: 'anonymous', organization: '', scopes: new Set() };

/**
 * Finds skills by the text of a message, with the operator's router when there is one. Callers who
 * may use what everybody may have one index; those who may use other agents or skills have one of their own, so that skills they may
 * not use have no part in their scores.
 */
@Injectable()
export class TextRouter implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly open = new TextView(() => this.decided(ANYBODY));
  /** Of callers who may use agents or composite skills that not everybody may, by what they may use; the last one asked last. */
  private readonly own = new Map<Audience, TextView>();
  private readonly job: BackgroundJob;

  constructor(
    private readonly registry: AgentRegistry,
    private readonly composites: CompositeSource,
    private readonly config: AppConfig,
    private readonly external: ExternalRouter,
    clock: Clock,
    private readonly log: Log,
  ) {
    const rules = {
      name: 'text match',
      failure: CANNOT_INDEX,
      everyMs: LOOK_EVERY_MS,
      atOnce: true,
      run: (signal: AbortSignal) => this.keepUp(signal),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    if (this.config.routing.text) this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  /**
   * What the text says to a caller of this organization, who may use these agents and composite skills;
   * undefined when neither the text match nor an external router is in use.
   */
  async find(
    caller: Principal,
    message: Pick<Message, 'parts'>,
    usable: Usable,
  ): Promise<TextFinding | undefined> {
    const { text: isOn, textThreshold: threshold } = this.config.routing;
    if (!isOn && !this.external.isConfigured) return undefined;
    const text = textOf(message);
    const found = isOn ? await this.search(text, caller, usable) : [];
    const finding = { candidates: found, threshold };
    if (!this.external.isConfigured) return finding;
    const index = AgentIndex.of(usable.agents, usable.composites);
    const candidates = externalCandidates(found, index);
    if (candidates.length === 0) return finding;
    const answer = await this.external.order(
      externalQuestion(caller.organization, text, message, candidates, index),
    );
    return 'problem' in answer
      ? { ...finding, note: answer.problem }
      : followExternal(finding, candidates, answer);
  }

  private async search(text: string, caller: Principal, usable: Usable): Promise<TextMatch[]> {
    await this.prepare(ANYBODY);
    const view = this.viewOf(caller, usable);
    if (!view.covers(usable)) await view.follow();
    return view.index.search(text);
  }

  private viewOf(caller: Principal, { agents, composites }: Usable): TextView {
    const open = this.usable(ANYBODY);
    const audience = this.registry.audienceOf(caller);
    const known = this.own.get(audience);
    this.own.delete(audience);
    if (agents === open.agents && composites === open.composites) return this.open;
    const own = known ?? new TextView(() => this.decided(caller));
    this.own.set(audience, own);
    const [oldest] = this.own.keys();
    if (this.own.size > MAX_VIEWS && oldest !== undefined) this.own.delete(oldest);
    return own;
  }

  private usable(caller: Principal): Usable {
    const agents = this.registry.usable(caller);
    return { agents, composites: offeredComposites(this.composites.usable(caller), agents) };
  }

  private async decided(caller: Principal): Promise<Usable> {
    await this.prepare(caller);
    return this.usable(caller);
  }

  private prepare(caller: Principal): Promise<void> | undefined {
    return prepareUsable(caller, this.registry, this.composites);
  }

  /** Writes what changes before a message asks for it, from the start on. */
  private async keepUp(signal: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    for (const view of [this.open, ...this.own.values()]) {
      await view.follow(signal).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}
