import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AgentRegistry } from '../../agents/index.js';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { AgentIndex } from '../domain/agent-index.js';
import {
  CompositeSource,
  type RuleDecision,
  type RuleQuestion,
  RuleSource,
} from '../domain/route-extensions.js';
import { decide } from './domain/decide.js';
import type { Rule } from './domain/rule.js';
import { RuleSet } from './domain/rule-set.js';
import { RuleStore } from './rule-store.js';

/** How often other processes' changes are looked for; one small query. */
const LOOK_EVERY_MS = 1000;

/**
 * All rules in memory, for the path of every message: those declared in YAML, then those of the API.
 * It is renewed with each change made in this process before that change is answered, and at most a
 * second after one made in another.
 */
@Injectable()
export class RuleRegistry extends RuleSource implements OnModuleInit, OnModuleDestroy {
  private revision = -1;
  private declared: readonly Rule[] = [];
  private stored: readonly Rule[] = [];
  private set = new RuleSet([]);
  private readonly stopping = new AbortController();
  /** Renewals run one after another, so that an older read never replaces a newer one. */
  private renewing: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: RuleStore,
    private readonly agents: AgentRegistry,
    private readonly composites: CompositeSource,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    super();
  }

  async onModuleInit(): Promise<void> {
    await this.renew();
    void this.lookForChanges();
  }

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  decide(question: RuleQuestion): RuleDecision | undefined {
    const { set } = this;
    if (set.rules.length === 0) return undefined;
    return decide(set, question, () => this.usableBy(question.principal));
  }

  /** What messages are held against now. */
  current(): RuleSet {
    return this.set;
  }

  /** Every rule in the order in which they are asked. */
  all(): readonly Rule[] {
    return this.set.rules;
  }

  /** The rules declared in YAML; they come first. */
  allDeclared(): readonly Rule[] {
    return this.declared;
  }

  /** Puts other rules in the place of those declared before. Their patterns are valid. */
  declare(rules: readonly Rule[]): void {
    this.declared = rules;
    this.compile();
  }

  /** What this caller may use. */
  usableBy(principal: RuleQuestion['principal']): AgentIndex {
    return AgentIndex.of(this.agents.usable(principal), this.composites.usable(principal));
  }

  /** Reads all rules again if any changed; resolves when the memory holds what the database does. */
  renew(): Promise<void> {
    const renewed = this.renewing.then(() => this.read());
    this.renewing = renewed.catch(() => undefined);
    return renewed;
  }

  private async read(): Promise<void> {
    // Asked first: a change between the two reads is then seen again by the next look.
    const revision = await this.store.revision();
    if (revision === this.revision) return;
    this.stored = await this.store.all();
    this.revision = revision;
    this.compile();
  }

  /** A rule of the API is not asked while a declared one has its id. */
  private compile(): void {
    const declared = new Set(this.declared.map(({ id }) => id));
    const stored = this.stored.filter(({ id }) => !declared.has(id));
    if (stored.length < this.stored.length) {
      const rules = this.stored.map(({ id }) => id).filter((id) => declared.has(id));
      this.log.warn({ rules }, 'declared rules stand in the place of rules of the API');
    }
    this.set = new RuleSet([...this.declared, ...stored], this.set);
  }

  private async lookForChanges(): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await this.clock.sleep(LOOK_EVERY_MS, signal);
      if (signal.aborted) return;
      try {
        await this.renew();
      } catch (error) {
        this.log.warn({ err: error }, 'rules could not be read; the known ones stay');
      }
    }
  }
}
