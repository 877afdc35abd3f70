import { AgentCard } from '../../protocol/a2a.js';
import type { Agent } from '../agent.js';
import { type Json, without } from './card-fields.js';

export const CARD_CHANGES = ['added', 'removed', 'changed'] as const;

/** One difference between two versions of a card. */
export interface CardChange {
  /** Member by path; a skill by its id: `skills[csv].tags`. */
  readonly field: string;
  readonly change: (typeof CARD_CHANGES)[number];
  readonly before?: unknown;
  readonly after?: unknown;
}

type DiffedCard = Pick<Agent, 'card' | 'signature'>;

/**
 * What changed from one card to the next, in the 1.0 wire form; empty when nothing did. A card that is
 * signed again has other signatures: what counts is the key, and what is known of it (`signature`).
 */
export function diffCards(before: DiffedCard, after: DiffedCard): CardChange[] {
  const { skills: oldSkills, ...old } = comparable(before);
  const { skills: newSkills, ...fresh } = comparable(after);
  return [
    ...diffMembers('', old, fresh),
    ...diffMembers('skills', byId(oldSkills), byId(newSkills)).flatMap(intoSkill),
  ];
}

function comparable({ card, signature }: DiffedCard): Json {
  const members = without(AgentCard.toJSON(card) as Json, 'signatures');
  const { outcome, keyId, keyThumbprint } = signature;
  return { ...members, signature: { outcome, keyId, keyThumbprint } };
}

/** A changed skill is reported member by member; an added or removed one as a whole. */
function intoSkill(change: CardChange): CardChange[] {
  if (change.change !== 'changed') return [change];
  return diffMembers(change.field, change.before as Json, change.after as Json);
}

function diffMembers(path: string, before: Json, after: Json): CardChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name): CardChange[] => {
    const field = path === 'skills' ? `skills[${name}]` : path === '' ? name : `${path}.${name}`;
    const [a, b] = [before, after].map((each) =>
      Object.hasOwn(each, name) ? each[name] : undefined,
    );
    if (a === undefined) return [{ field, change: 'added', after: b }];
    if (b === undefined) return [{ field, change: 'removed', before: a }];
    return sameJson(a, b) ? [] : [{ field, change: 'changed', before: a, after: b }];
  });
}

function byId(skills: unknown): Json {
  const list = (skills ?? []) as { id: string }[];
  return Object.fromEntries(list.map((skill) => [skill.id, skill]));
}

/** Equal whatever the order of members. */
function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(ordered(a)) === JSON.stringify(ordered(b));
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, ordered(member)]));
}
