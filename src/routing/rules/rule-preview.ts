import { Injectable } from '@nestjs/common';
import { type FieldViolation, HubError } from '../../common/hub-error.js';
import { faultsOfRule } from './domain/check-rule.js';
import { faultOfPatterns } from './domain/pattern.js';
import { RULE_LIMITS, type Rule } from './domain/rule.js';
import { added, changed } from './domain/rule-list.js';
import { RuleRegistry } from './rule-registry.js';
import { RuleStore } from './rule-store.js';
import { RuleTargets } from './rule-targets.js';
import { type NewRule, notThere } from './rules.service.js';
import { ruleOf } from './written-rule.js';

/** What would come of a rule if it were saved now. */
export interface RulePreviewed {
  readonly valid: boolean;
  /** What keeps it from being saved. */
  readonly problems: readonly FieldViolation[];
  /** Why messages would pass it over; null: they would not, or it cannot be saved. */
  readonly problem: string | null;
}

/** Tries rules that are not saved. */
@Injectable()
export class RulePreview {
  constructor(
    private readonly store: RuleStore,
    private readonly registry: RuleRegistry,
    private readonly targets: RuleTargets,
  ) {}

  /**
   * Everything that keeps a rule from being made or, with the id of one there is, from being changed to
   * this. Throws HubError NOT_FOUND when there is none with this id.
   */
  async of(written: NewRule, replaced: string | undefined): Promise<RulePreviewed> {
    const rules = await this.store.all();
    const declared = this.registry.declaredIds();
    const isTaken = (id: string): boolean => declared.has(id) || rules.some((one) => one.id === id);
    if (replaced !== undefined && !isTaken(replaced)) notThere(replaced);
    const rule = ruleOf({ ...written, id: replaced ?? '' }, 'api');
    const faults = faultsOfRule(rule);
    const isTargetRight = !faults.some(({ field }) => field.startsWith('target'));
    const placed = this.placed(rules, rule, written.position, replaced);
    const problems = [
      ...idProblems(written.id, replaced, declared, isTaken),
      ...faults,
      ...(isTargetRight ? this.targets.unknown(rule.target, 'target') : []),
      ...placed.problems,
      ...(faults.some(({ field }) => field === 'conditions.text.pattern')
        ? []
        : this.patternProblems(placed.rules)),
    ];
    const valid = problems.length === 0;
    const problem = valid ? (this.targets.problems()(rule.target) ?? null) : null;
    return { valid, problems, problem };
  }

  /** The rules of the API with this one among them, as far as it finds a place. */
  private placed(
    rules: readonly Rule[],
    rule: Rule,
    position: number | undefined,
    replaced: string | undefined,
  ): { readonly rules: readonly Rule[]; readonly problems: readonly FieldViolation[] } {
    const others = rules.filter(({ id }) => id !== replaced);
    const declared = this.registry.declaredIds();
    // What is wrong with one that cannot be changed here is told by its id.
    if (replaced !== undefined && declared.has(replaced)) return { rules: others, problems: [] };
    if (replaced === undefined && rules.length >= RULE_LIMITS.rules) {
      const description = `would be one too many: there are ${rules.length} rules, the most there may be`;
      return { rules: others, problems: [{ field: 'position', description }] };
    }
    const place = { position, declared };
    try {
      const next =
        replaced === undefined
          ? added(rules, rule, place)
          : changed(rules, replaced, () => rule, place);
      return { rules: next, problems: [] };
    } catch (error) {
      if (!(error instanceof HubError) || error.violations.length === 0) throw error;
      return { rules: [...others, rule], problems: error.violations };
    }
  }

  private patternProblems(rules: readonly Rule[]): readonly FieldViolation[] {
    const fault = faultOfPatterns(rules, this.registry.current().morePatterns());
    return fault === undefined ? [] : [{ field: 'conditions.text.pattern', description: fault }];
  }
}

function idProblems(
  id: string | undefined,
  replaced: string | undefined,
  declared: ReadonlySet<string>,
  isTaken: (id: string) => boolean,
): readonly FieldViolation[] {
  const problem = (description: string): readonly FieldViolation[] => [
    { field: 'id', description },
  ];
  const named = replaced ?? id;
  if (named !== undefined && declared.has(named)) {
    return problem('is the id of a rule declared in the configuration (rules); change it there');
  }
  if (id === undefined || id === replaced) return [];
  if (replaced !== undefined) return problem(`cannot be changed: it is ${replaced}`);
  return isTaken(id) ? problem('is the id of another rule') : [];
}
