import { Injectable } from '@nestjs/common';
import { type Principal, type Scope, hasScope } from '../../auth/index.js';
import { type FieldViolation, HubError, invalidFields } from '../../common/hub-error.js';
import { type RuleDecision, type RuleQuestion, RuleSource } from '../domain/route-extensions.js';
import { faultsOfRule } from './domain/check-rule.js';
import { decide } from './domain/decide.js';
import { outcomesOf, type RuleReport } from './domain/outcomes.js';
import type { Rule } from './domain/rule.js';
import { ruleIdFrom } from './domain/rule-id.js';
import { added } from './domain/rule-list.js';
import { RuleSet } from './domain/rule-set.js';
import { RuleRegistry } from './rule-registry.js';
import type { NewRule } from './rules.service.js';
import { ruleOf, type WrittenRule } from './written-rule.js';

/** What an operator tries in a dry run: unsaved rules, another caller, or neither. */
export interface TrialRequest {
  /** In the place of all rules there are. */
  readonly rules?: readonly WrittenRule[] | undefined;
  /** Beside the rules there are, or in the place of the one with its id. */
  readonly rule?: NewRule | undefined;
  readonly caller?:
    | { readonly organization?: string | undefined; readonly scopes?: readonly Scope[] | undefined }
    | undefined;
}

/** Rules that are asked once and remember what became of each. */
class RuleTrial extends RuleSource {
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

/** Dry runs with the rules told: which one decides, and why each before it does not. */
@Injectable()
export class RuleTrials {
  constructor(private readonly registry: RuleRegistry) {}

  /**
   * The route that `route` gives for the caller and the rules that are tried, with a report of each
   * rule; one that is refused has them in the error's metadata. Only those who may manage rules see
   * reports and may try unsaved rules or another caller (else PERMISSION_DENIED). Rejects with
   * INVALID_PARAMS naming the fields of a rule that could not be saved either; one that leads to agents
   * or composite skills that are not there may be tried, and is passed over.
   */
  async run<T extends object>(
    request: TrialRequest,
    principal: Principal,
    route: (caller: Principal, rules: RuleSource) => Promise<T>,
  ): Promise<T & { readonly rules?: readonly RuleReport[] }> {
    const mayManage = hasScope(principal, 'agents');
    const { rules, rule, caller } = request;
    if (!mayManage && (rules ?? rule ?? caller) !== undefined) {
      const what = 'Trying unsaved rules or another caller needs the scope agents.';
      throw new HubError('PERMISSION_DENIED', what);
    }
    if (!mayManage) return route(principal, this.registry);
    const trial = new RuleTrial(this.setOf(request), this.registry);
    try {
      const found = await route(callerOf(request, principal), trial);
      return trial.reports === undefined ? found : { ...found, rules: trial.reports };
    } catch (error) {
      throw trial.reports === undefined ? error : withReports(error, trial.reports);
    }
  }

  /** The rules that are tried. Those there are, as they are, have been compiled already. */
  private setOf({ rules, rule }: TrialRequest): RuleSet {
    const current = this.registry.current();
    if (rules !== undefined && rule !== undefined) {
      throw invalidFields([{ field: 'rule', description: 'has no meaning beside rules' }]);
    }
    if (rules !== undefined) return new RuleSet(readAll(rules), current);
    if (rule === undefined) return current;
    const faults: FieldViolation[] = [];
    const isTaken = (id: string): boolean => current.rules.some((each) => each.id === id);
    const one = read(rule, 'rule', isTaken, faults);
    if (faults.length > 0) throw invalidFields(faults);
    return new RuleSet(this.withOne(one, rule.position), current);
  }

  /** A rule of the API moves to the position, if one is given; a new one goes there or to the end. */
  private withOne(rule: Rule, position: number | undefined): readonly Rule[] {
    const before = this.registry.allDeclared().length;
    const present = this.registry.all();
    const at = present.findIndex(({ id }) => id === rule.id);
    const stays = at >= 0 && (position === undefined || at < before);
    if (stays) return present.with(at, rule);
    const others = present.filter(({ id }) => id !== rule.id);
    return [...others.slice(0, before), ...added(others.slice(before), rule, { position, before })];
  }
}

/** The caller that a dry run is for: the one there is, but for what an operator says otherwise. */
function callerOf({ caller }: TrialRequest, principal: Principal): Principal {
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

/** A refusal that tells what became of the rules, one line each. */
function withReports(error: unknown, reports: readonly RuleReport[]): unknown {
  if (!(error instanceof HubError)) return error;
  const lines = reports.map(
    ({ position, name, outcome, why }) => `${position}. ${name}: ${outcome}. ${why}`,
  );
  return new HubError(error.reason, error.message, {
    metadata: { ...error.metadata, rules: lines.join('\n') },
    violations: error.violations,
    cause: error,
  });
}
