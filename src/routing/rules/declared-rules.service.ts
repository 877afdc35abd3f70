import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import {
  AppConfig,
  ConfigChanges,
  type DeclaredEntry,
  declaredWrong,
  readDeclared,
  type ReadEntry,
} from '../../config/index.js';
import { faultsOfRule } from './domain/check-rule.js';
import { faultOfPatterns, Patterns } from './domain/pattern.js';
import { RULE_LIMITS, type Rule } from './domain/rule.js';
import { ruleIdFrom } from './domain/rule-id.js';
import { WrittenRuleDto } from './rule.dto.js';
import { RuleRegistry } from './rule-registry.js';
import { RuleStore } from './rule-store.js';
import { RuleTargets } from './rule-targets.js';
import { ruleOf } from './written-rule.js';

/** The key of the configuration they stand under. */
const KEY = 'rules';

/**
 * Hands the rules that the configuration declares to the registry, at start and whenever its file
 * changes, and has their versions kept. One that is wrong in itself is refused with the whole configuration; one that leads to what
 * is not there is kept and passed over, because the agent may come later.
 */
@Injectable()
export class DeclaredRules implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly config: AppConfig,
    private readonly changes: ConfigChanges,
    private readonly store: RuleStore,
    private readonly registry: RuleRegistry,
    private readonly targets: RuleTargets,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.apply(await readDeclaredRules(this.config.rules));
    this.changes.subscribe(async ({ rules }) => {
      const declared = await readDeclaredRules(rules);
      return async () => {
        await this.apply(declared);
        this.warnOfProblems();
      };
    });
  }

  /** By then the declared agents have had a moment to come. */
  onApplicationBootstrap(): void {
    this.warnOfProblems();
  }

  private async apply(declared: readonly Rule[]): Promise<void> {
    this.registry.declare(await this.store.keepDeclared(declared, this.clock.now()));
    await this.registry.follow();
  }

  private warnOfProblems(): void {
    const problems = this.targets.problems();
    for (const { id, target } of this.registry.allDeclared()) {
      const problem = problems(target);
      if (problem !== undefined)
        this.log.warn(
          { rule: id, problem },
          'a declared rule has a target that does not exist; messages skip the rule',
        );
    }
  }
}

/** The declared rules, read as the API reads them; throws `ConfigError` with all that is wrong. */
export async function readDeclaredRules(
  written: readonly DeclaredEntry[],
): Promise<readonly Rule[]> {
  const most = RULE_LIMITS.rules;
  if (written.length > most) {
    throw declaredWrong([{ field: KEY, description: `has more than ${most} rules` }]);
  }
  const rules = await readDeclared(KEY, written, WrittenRuleDto, readOne);
  const fault = faultOfPatterns(rules, new Patterns());
  if (fault !== undefined) throw declaredWrong([{ field: KEY, description: fault }]);
  return rules;
}

function readOne(dto: WrittenRuleDto, before: readonly Rule[]): ReadEntry<Rule> {
  const isTaken = (id: string): boolean => before.some((rule) => rule.id === id);
  const rule = ruleOf({ ...dto, id: dto.id ?? ruleIdFrom(dto.name, isTaken) }, 'config');
  const twice = { field: 'id', description: 'is the id of a rule before it' };
  return { entry: rule, faults: [...faultsOfRule(rule), ...(isTaken(rule.id) ? [twice] : [])] };
}
