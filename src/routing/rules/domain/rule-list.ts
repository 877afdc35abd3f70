import { HubError, invalidField } from '../../../common/hub-error.js';
import { RULE_LIMITS, type Rule } from './rule.js';

/*
 * Changes of the rules made by the API, as pure functions of the list as it is stored. Positions are
 * those the operator sees: from 1, and `before` rules (those declared in YAML) come ahead of them all.
 */

/** With one more rule, at a position or at the end. Throws CONFLICT when its id is taken. */
export function added(
  rules: readonly Rule[],
  rule: Rule,
  place: { readonly position?: number | undefined; readonly before: number },
): readonly Rule[] {
  if (rules.length >= RULE_LIMITS.rules) {
    throw new HubError('CONFLICT', `There are ${rules.length} rules, the most there may be.`);
  }
  if (rules.some(({ id }) => id === rule.id)) {
    throw new HubError('CONFLICT', `There is a rule with the id ${rule.id}.`);
  }
  const index = indexOf(place.position, place.before, rules.length);
  return rules.toSpliced(index, 0, rule);
}

/**
 * With one rule changed, and moved when a position is given. Throws NOT_FOUND when there is none with
 * this id.
 */
export function changed(
  rules: readonly Rule[],
  id: string,
  change: (rule: Rule) => Rule,
  place: { readonly position?: number | undefined; readonly before: number },
): readonly Rule[] {
  const at = placeOf(rules, id);
  const rule = change(rules[at]!);
  if (place.position === undefined) return rules.with(at, rule);
  const index = indexOf(place.position, place.before, rules.length - 1);
  return rules.toSpliced(at, 1).toSpliced(index, 0, rule);
}

/** Without one rule. Throws NOT_FOUND when there is none with this id. */
export function removed(rules: readonly Rule[], id: string): readonly Rule[] {
  return rules.toSpliced(placeOf(rules, id), 1);
}

/** In another order. Throws INVALID_PARAMS unless `ids` names each rule once. */
export function reordered(rules: readonly Rule[], ids: readonly string[]): readonly Rule[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const named = new Set(ids);
  const unknown = [...named].filter((id) => !byId.has(id));
  const missing = rules.map(({ id }) => id).filter((id) => !named.has(id));
  const faults = [
    ...(unknown.length > 0 ? [`there is no rule ${unknown.join(', ')} to be ordered`] : []),
    ...(missing.length > 0 ? [`${missing.join(', ')} is missing`] : []),
    ...(named.size < ids.length ? ['a rule is named twice'] : []),
  ];
  if (faults.length > 0) {
    throw invalidField('ids', `must name each rule of the API once: ${faults.join('; ')}`);
  }
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function placeOf(rules: readonly Rule[], id: string): number {
  const at = rules.findIndex((rule) => rule.id === id);
  if (at < 0) throw new HubError('NOT_FOUND', `There is no rule ${id}.`);
  return at;
}

/** Where among `others` rules a position is; the end without one. */
function indexOf(position: number | undefined, before: number, others: number): number {
  if (position === undefined) return others;
  const [first, last] = [before + 1, before + others + 1];
  if (position >= first && position <= last) return position - first;
  const why = before > 0 ? `; the ${before} declared in the configuration come first` : '';
  throw invalidField('position', `must be from ${first} to ${last}${why}`);
}
