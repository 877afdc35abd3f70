import { Injectable } from '@nestjs/common';
import { AgentRegistry } from '../../agents/index.js';
import { Clock } from '../../common/clock.js';
import { RevisionedCache } from '../../common/revisioned-cache.js';
import { Log } from '../../common/logger.js';
import { offeredComposites } from '../composites/domain/offered.js';
import { AgentIndex } from '../domain/agent-index.js';
import { CompositeSource } from '../composite-source.js';
import type { RuleDecision, RuleQuestion } from '../domain/rule-decision.js';
import type { RuleNames, RuleSource } from '../rule-source.js';
import { decide } from './domain/decide.js';
import type { Rule } from './domain/rule.js';
import { RuleSet } from './domain/rule-set.js';
import { RuleStore } from './rule-store.js';

/** All rules in memory, for the path of every message: those declared in YAML, then those of the API. */
@Injectable()
export class RuleRegistry extends RevisionedCache<Rule> implements RuleSource, RuleNames {
  private declared: readonly Rule[] = [];
  private stored: readonly Rule[] = [];
  private set = new RuleSet([]);

  constructor(
    store: RuleStore,
    private readonly agents: AgentRegistry,
    private readonly composites: CompositeSource,
    clock: Clock,
    private readonly log: Log,
  ) {
    super(store, 'rules', clock, log);
  }

  decide(question: RuleQuestion): RuleDecision | undefined {
    const { set } = this;
    if (set.rules.length === 0) return undefined;
    return decide(set, question, () => this.usableBy(question.principal));
  }

  idsOf(idOrName: string): readonly string[] {
    return this.all()
      .filter(({ id, name }) => id === idOrName || name === idOrName)
      .map(({ id }) => id);
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

  declaredIds(): ReadonlySet<string> {
    return new Set(this.declared.map(({ id }) => id));
  }

  /** Puts other rules in the place of those declared before. Their patterns are valid. */
  declare(rules: readonly Rule[]): void {
    this.declared = rules;
    this.compile();
  }

  /** What this caller may use. */
  usableBy(principal: RuleQuestion['principal']): AgentIndex {
    const agents = this.agents.usable(principal);
    return AgentIndex.of(agents, offeredComposites(this.composites.usable(principal), agents));
  }

  protected override onReload(stored: readonly Rule[]): void {
    this.stored = stored;
    this.compile();
  }

  /** Every rule in the order in which they are asked, once these are those of the API: one is not asked while a declared one has its id. */
  withStored(stored: readonly Rule[]): readonly Rule[] {
    const declared = this.declaredIds();
    return [...this.declared, ...stored.filter(({ id }) => !declared.has(id))];
  }

  private compile(): void {
    const all = this.withStored(this.stored);
    if (all.length < this.declared.length + this.stored.length) {
      const declared = this.declaredIds();
      const rules = this.stored.map(({ id }) => id).filter((id) => declared.has(id));
      this.log.warn({ rules }, 'declared rules replace rules of the API that have the same id');
    }
    this.set = new RuleSet(all, this.set);
  }
}
