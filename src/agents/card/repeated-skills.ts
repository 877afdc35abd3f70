import { isRecord } from '../../common/is-record.js';
import type { AgentCard } from '../../protocol/a2a.js';

/** The card with each skill once: of those with the same id only the first can be asked for. */
export function withoutRepeatedSkills(card: AgentCard): AgentCard {
  const seen = new Set<string>();
  const skills = card.skills.filter(({ id }) => !seen.has(id) && seen.add(id));
  return skills.length === card.skills.length ? card : { ...card, skills };
}

/** What is left out of a card, as it was read, by {@link withoutRepeatedSkills}, in one sentence; null: nothing. */
export function repeatedSkillsOf(originalCard: string): string | null {
  const { skills } = JSON.parse(originalCard) as { readonly skills?: unknown };
  if (!Array.isArray(skills)) return null;
  const seen = new Set<unknown>();
  const repeated = new Set<unknown>();
  for (const { id } of skills.filter(isRecord)) {
    if (seen.has(id)) repeated.add(id);
    seen.add(id);
  }
  if (repeated.size === 0) return null;
  const names = [...repeated].map((id) => JSON.stringify(id)).join(', ');
  return `card.skills has more than one skill with the id ${names}; only the first counts.`;
}
