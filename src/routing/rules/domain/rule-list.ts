import { HubError, invalidField } from '../../../common/hub-error.js';
import { RULE_LIMITS, type Rule } from './rule.js';

/*
 * Changes of the rules made by the API, as pure functions of the list as it is stored. Positions are
 * those the operator sees: from 1, the rules declared in YAML ahead of them all, and without those of the
 * API in whose place a declared one of the same id stands.
 */

export interface Place {
  /** Default: the last. */
  readonly position?: number | undefined;
  /** The ids of the rules declared in YAML. */
  readonly declared: ReadonlySet<string>;
}

/** With one more rule, at a position or at the end. Throws CONFLICT when its id is taken. */
export function added(rules: readonly Rule[], rule: Rule, place: Place): readonly Rule[] {
  if (rules.length >= RULE_LIMITS.rules) {
    throw new HubError('CONFLICT', `There are ${rules.length} rules, the most there may be.`);
  }
  if (rules.some(({ id }) => id === rule.id)) {
    throw new HubError('CONFLICT', `There is a rule with the id ${rule.id}.`);
  }
  return rules.toSpliced(indexOf(place, rules), 0, rule);
}

/**
 * With one rule changed, and moved when a position is given. Throws NOT_FOUND when there is none with
 * this id.
 */
export function changed(
  rules: readonly Rule[],
  id: string,
  change: (rule: Rule) => Rule,
  place: Place,
): readonly Rule[] {
  const at = placeOf(rules, id);
  const rule = change(rules[at]!);
  if (place.position === undefined) return rules.with(at, rule);
  const others = rules.toSpliced(at, 1);
  return others.toSpliced(indexOf(place, others), 0, rule);
}

/** Without one rule. Throws NOT_FOUND when there is none with this id. */
export function removed(rules: readonly Rule[], id: string): readonly Rule[] {
  return rules.toSpliced(placeOf(rules, id), 1);
}

/**
 * In another order; rules that a declared one stands in for stay where they are. Throws INVALID_PARAMS
 * unless `ids` names each of the others once.
 */
export function reordered(
  rules: readonly Rule[],
  ids: readonly string[],
  declared: ReadonlySet<string>,
): readonly Rule[] {
  const shown = new Map(
    rules.filter(({ id }) => !declared.has(id)).map((rule) => [rule.id, rule] as const),
  );
  const named = new Set(ids);
  const unknown = [...named].filter((id) => !shown.has(id));
  const missing = [...shown.keys()].filter((id) => !named.has(id));
  const faults = [
    ...(unknown.length > 0 ? [`there is no rule ${unknown.join(', ')} to be ordered`] : []),
    ...(missing.length > 0 ? [`${missing.join(', ')} is missing`] : []),
    ...(named.size < ids.length ? ['a rule is named twice'] : []),
  ];
  if (faults.length > 0) {
    throw invalidField('ids', `must name each rule of the API once: ${faults.join('; ')}`);
  }
  const inOrder = ids.flatMap((id) => shown.get(id) ?? []).values();
  return rules.map((rule) => (shown.has(rule.id) ? (inOrder.next().value ?? rule) : rule));
}

function placeOf(rules: readonly Rule[], id: string): number {
  const at = rules.findIndex((rule) => rule.id === id);
  if (at < 0) throw new HubError('NOT_FOUND', `There is no rule ${id}.`);
  return at;
}

/** Where among the other rules a place is; the end when it says nothing. */
function indexOf({ position, declared }: Place, others: readonly Rule[]): number {
  if (position === undefined) return others.length;
  const shown = others.flatMap(({ id }, index) => (declared.has(id) ? [] : [index]));
  const before = declared.size;
  const [first, last] = [before + 1, before + shown.length + 1];
  if (position >= first && position <= last) return shown[position - first] ?? others.length;
  const why = before > 0 ? `; the ${before} declared in the configuration come first` : '';
  throw invalidField('position', `must be from ${first} to ${last}${why}`);
}
