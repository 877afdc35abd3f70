import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { type FieldViolation, HubError } from '../../common/hub-error.js';
import { adminValidationPipe } from '../../common/http/validation.pipe.js';
import { Log } from '../../common/logger.js';
import { AppConfig, ConfigChanges, ConfigError, type DeclaredRule } from '../../config/index.js';
import { faultsOfRule } from './domain/check-rule.js';
import type { Rule } from './domain/rule.js';
import { ruleIdFrom } from './domain/rule-id.js';
import { WrittenRuleDto } from './rule.dto.js';
import { RuleRegistry } from './rule-registry.js';
import { RuleTargets } from './rule-targets.js';
import { ruleOf } from './written-rule.js';

/** The key of the configuration they stand under. */
const KEY = 'rules';

/**
 * Hands the rules that the configuration declares to the registry, at start and whenever its file
 * changes. One that is wrong in itself is refused with the whole configuration; one that leads to what
 * is not there is kept and passed over, because the agent may come later.
 */
@Injectable()
export class DeclaredRules implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly config: AppConfig,
    private readonly changes: ConfigChanges,
    private readonly registry: RuleRegistry,
    private readonly targets: RuleTargets,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    this.registry.declare(await readDeclared(this.config.rules));
    this.changes.subscribe(async ({ rules }) => {
      const declared = await readDeclared(rules);
      return () => {
        this.registry.declare(declared);
        this.warnOfProblems();
      };
    });
  }

  /** By then the declared agents have had a moment to come. */
  onApplicationBootstrap(): void {
    this.warnOfProblems();
  }

  private warnOfProblems(): void {
    const problems = this.targets.problems();
    for (const { id, target } of this.registry.allDeclared()) {
      const problem = problems(target);
      if (problem !== undefined)
        this.log.warn({ rule: id, problem }, 'a declared rule leads nowhere');
    }
  }
}

/** The declared rules, read as the API reads them; throws {@link ConfigError} with all that is wrong. */
export async function readDeclared(written: readonly DeclaredRule[]): Promise<readonly Rule[]> {
  const rules: Rule[] = [];
  const problems: FieldViolation[] = [];
  for (const [index, each] of written.entries()) {
    const taken = (id: string): boolean => rules.some((rule) => rule.id === id);
    const read = await readOne(each, taken);
    if (!Array.isArray(read)) rules.push(read);
    else
      problems.push(
        ...read.map((fault) => ({ ...fault, field: `${KEY}[${index}].${fault.field}` })),
      );
  }
  if (problems.length === 0) return rules;
  throw new ConfigError(
    problems.map(({ field, description }) => ({ key: field, source: 'file', text: description })),
  );
}

async function readOne(
  written: DeclaredRule,
  isTaken: (id: string) => boolean,
): Promise<Rule | FieldViolation[]> {
  try {
    const dto = (await adminValidationPipe().transform(written, {
      type: 'body',
      metatype: WrittenRuleDto,
    })) as WrittenRuleDto;
    const rule = ruleOf({ ...dto, id: dto.id ?? ruleIdFrom(dto.name, isTaken) }, 'config');
    const faults = faultsOfRule(rule);
    if (isTaken(rule.id))
      faults.push({ field: 'id', description: 'is the id of a rule before it' });
    return faults.length > 0 ? faults : rule;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const { violations, message } = error;
    return violations.length > 0 ? [...violations] : [{ field: '', description: message }];
  }
}
