import { Injectable } from '@nestjs/common';
import { KnownOwners, type Principal, hasScope } from '../../auth/index.js';
import { Log } from '../../common/logger.js';
import type { Scope } from '../../common/scope.js';
import { type FieldViolation, HubError, invalidFields } from '../../common/hub-error.js';
import type { RuleDecision, RuleQuestion } from '../domain/rule-decision.js';
import { RuleSource } from '../rule-source.js';
import { type Route, withoutExcluded } from '../domain/route.js';
import { faultsOfRule } from './domain/check-rule.js';
import { decide } from './domain/decide.js';
import { outcomesOf, type RuleReport } from './domain/outcomes.js';
import { faultOfPatterns } from './domain/pattern.js';
import type { Rule } from './domain/rule.js';
import { ruleIdFrom } from './domain/rule-id.js';
import { added } from './domain/rule-list.js';
import { RuleSet } from './domain/rule-set.js';
import type { ExcludedAgents } from '../domain/excluded.js';
import { RuleRegistry } from './rule-registry.js';
import type { NewRule } from './rules.service.js';
import { ruleOf, type WrittenRule } from './written-rule.js';

/** What an operator tries in a dry run: unsaved rules, another caller, or neither. */
export interface RuleDryRunRequest {
  /** In the place of all rules there are. */
  readonly rules?: readonly WrittenRule[] | undefined;
  /** Beside the rules there are, or in the place of the one with its id. */
  readonly rule?: NewRule | undefined;
  readonly caller?:
    | { readonly organization?: string | undefined; readonly scopes?: readonly Scope[] | undefined }
    | undefined;
}

/** What a dry run tells. */
export type DryRunRoute = Route & {
  readonly rules?: readonly RuleReport[];
  readonly warnings?: readonly string[];
};

/** Rules that are asked once and remember what became of each. */
class DryRunRules extends RuleSource {
  /** Undefined while none has been asked, because the message itself names where it goes. */
  reports: readonly RuleReport[] | undefined;

  constructor(
    private readonly set: RuleSet,
    private readonly registry: RuleRegistry,
  ) {
    super();
  }

  decide(question: RuleQuestion): RuleDecision | undefined {
    const usable = () => this.registry.usableBy(question.principal);
    this.reports = outcomesOf(this.set, question, usable);
    return decide(this.set, question, usable);
  }
}

/** Why a rule decided, for those who may not see rules. */
const OPERATORS_RULE = 'By a rule of the operator.';

/** The rules there are, which tell nothing of themselves. */
class SilentRules extends RuleSource {
  constructor(private readonly rules: RuleSource) {
    super();
  }

  decide(question: RuleQuestion): RuleDecision | undefined {
    const { principal, tags, inputTypes, text, metadata } = question;
    const decision = this.rules.decide({ principal, tags, inputTypes, text, metadata });
    return decision && { ...decision, why: OPERATORS_RULE };
  }
}

/** Dry runs that report on the rules: which one decides, and why each before it does not. */
@Injectable()
export class RuleDryRuns {
  constructor(
    private readonly registry: RuleRegistry,
    private readonly owners: KnownOwners,
    private readonly log: Log,
  ) {}

  /**
   * The route that `route` gives for the caller and the rules that are tried, with a report of each
   * rule; one that is refused has them in the error's metadata. Only those who may manage rules see
   * reports, which rule decides and why and which agents the caller may not use, and may try unsaved rules or another caller (else
   * PERMISSION_DENIED). Rejects with INVALID_PARAMS naming the fields of a rule that could not be saved
   * either; one that leads to agents or composite skills that are not there may be tried, and is passed
   * over. An organization of the caller that there is not is warned of: it may come later.
   */
  async run(
    request: RuleDryRunRequest,
    principal: Principal,
    route: (
      caller: Principal,
      rules: RuleSource,
      noteExcluded?: (excluded: ExcludedAgents) => void,
    ) => Promise<Route>,
  ): Promise<DryRunRoute> {
    const mayManage = hasScope(principal, 'routing');
    const { rules, rule, caller } = request;
    if (!mayManage && (rules ?? rule ?? caller) !== undefined) {
      const what = 'Trying unsaved rules or another caller needs the scope routing.';
      throw new HubError('PERMISSION_DENIED', what);
    }
    if (!mayManage) {
      const found = await route(principal, new SilentRules(this.registry));
      const known = withoutExcluded(found);
      const { rule, ...shown } = known;
      return rule === undefined ? known : shown;
    }
    const dryRun = new DryRunRules(this.setOf(request), this.registry);
    let excluded: ExcludedAgents | undefined;
    const warnings = await this.warningsOf(request);
    try {
      const found = await route(
        callerOf(request, principal),
        dryRun,
        (those) => void (excluded = those),
      );
      return {
        ...found,
        ...(dryRun.reports && { rules: dryRun.reports }),
        ...(warnings.length > 0 && { warnings }),
      };
    } catch (error) {
      throw explained(error, dryRun.reports, excluded, warnings);
    }
  }

  /** Never fails for want of a database: nothing is warned of then. */
  private async warningsOf({ caller }: RuleDryRunRequest): Promise<readonly string[]> {
    const organization = caller?.organization;
    if (organization === undefined) return [];
    try {
      const known = await this.owners.organizations([organization]);
      if (known.has(organization)) return [];
      return [`There is no organization of the id ${JSON.stringify(organization)}.`];
    } catch (err) {
      this.log.warn({ err }, 'the organization of a dry run could not be looked up');
      return [];
    }
  }

  /** The rules that are tried. Those there are, as they are, have been compiled already. */
  private setOf({ rules, rule }: RuleDryRunRequest): RuleSet {
    const current = this.registry.current();
    if (rules !== undefined && rule !== undefined) {
      throw invalidFields([{ field: 'rule', description: 'has no meaning beside rules' }]);
    }
    if (rules !== undefined) {
      const all = readAll(rules);
      refuseCostly(all, 'rules', current);
      return new RuleSet(all, current);
    }
    if (rule === undefined) return current;
    const faults: FieldViolation[] = [];
    const isTaken = (id: string): boolean => current.rules.some((each) => each.id === id);
    const one = read(rule, 'rule', isTaken, faults);
    if (faults.length > 0) throw invalidFields(faults);
    const all = this.withOne(one, rule.position);
    const declared = this.registry.declaredIds();
    const ofApi = all.filter(({ id }) => !declared.has(id));
    refuseCostly(ofApi, 'rule.conditions.text.pattern', current);
    return new RuleSet(all, current);
  }

  /** A rule of the API moves to the position, if one is given; a new one goes there or to the end. */
  private withOne(rule: Rule, position: number | undefined): readonly Rule[] {
    const before = this.registry.allDeclared().length;
    const present = this.registry.all();
    const at = present.findIndex(({ id }) => id === rule.id);
    const stays = at >= 0 && (position === undefined || at < before);
    if (stays) return present.with(at, rule);
    const others = present.filter(({ id }) => id !== rule.id);
    const declared = this.registry.declaredIds();
    return [
      ...others.slice(0, before),
      ...added(others.slice(before), rule, { position, declared }),
    ];
  }
}

/** The caller that a dry run is for: the one there is, but for what an operator says otherwise. */
function callerOf({ caller }: RuleDryRunRequest, principal: Principal): Principal {
  const { organization = principal.organization, scopes } = caller ?? {};
  return { ...principal, organization, scopes: scopes ? new Set(scopes) : principal.scopes };
}

function readAll(rules: readonly WrittenRule[]): readonly Rule[] {
  const faults: FieldViolation[] = [];
  const all: Rule[] = [];
  for (const [index, each] of rules.entries()) {
    const isTaken = (id: string): boolean => all.some((rule) => rule.id === id);
    if (each.id !== undefined && isTaken(each.id)) {
      faults.push({ field: `rules[${index}].id`, description: 'is the id of a rule before it' });
    }
    all.push(read(each, `rules[${index}]`, isTaken, faults));
  }
  if (faults.length > 0) throw invalidFields(faults);
  return all;
}

function refuseCostly(rules: readonly Rule[], field: string, current: RuleSet): void {
  const fault = faultOfPatterns(rules, current.morePatterns());
  if (fault !== undefined) throw invalidFields([{ field, description: fault }]);
}

function read(
  written: WrittenRule,
  path: string,
  isTaken: (id: string) => boolean,
  faults: FieldViolation[],
): Rule {
  const rule = ruleOf({ ...written, id: written.id ?? ruleIdFrom(written.name, isTaken) }, 'api');
  for (const { field, description } of faultsOfRule(rule)) {
    faults.push({ field: `${path}.${field}`, description });
  }
  return rule;
}

/**
 * A refusal that tells what became of the rules, one line each, and as JSON the members of a route that say that
 * (`ruleReports`) and which agents the caller may not use (`excluded`), and the warnings, since the metadata of an error are texts.
 */
function explained(
  error: unknown,
  reports: readonly RuleReport[] | undefined,
  excluded: ExcludedAgents | undefined,
  warnings: readonly string[],
): unknown {
  if (!(error instanceof HubError)) return error;
  const rules = reports?.map(
    ({ position, name, outcome, why }) => `${position}. ${name}: ${outcome}. ${why}`,
  );
  const shown = excluded?.shown ?? {};
  const isNoneExcluded = Object.keys(shown).length === 0;
  if (rules === undefined && isNoneExcluded && warnings.length === 0) return error;
  return new HubError(error.reason, error.message, {
    metadata: {
      ...error.metadata,
      ...(rules && { rules: rules.join('\n'), ruleReports: JSON.stringify(reports) }),
      ...(!isNoneExcluded && { excluded: JSON.stringify(shown) }),
      ...(warnings.length > 0 && { warnings: warnings.join('\n') }),
    },
    violations: error.violations,
    cause: error,
  });
}
