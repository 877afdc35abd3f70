import type { HubError } from '../../common/hub-error.js';
import { candidateOf } from './explain.js';
import type { Match } from './match.js';
import type { Arranged } from './order.js';

/** An agent, or one skill of it, whose limit is used up, and the refusal that says so. */
export interface UsedUp {
  readonly agentId: string;
  readonly skillId?: string;
  readonly refusal: HubError;
}

/** Leaves out the agents whose limits are used up. Throws the refusal when that leaves none. */
export function withoutUsedUp(matches: readonly Match[], usedUp: readonly UsedUp[]): Arranged {
  if (usedUp.length === 0) return { matches, skipped: [] };
  const limitOf = (match: Match): UsedUp | undefined => {
    const { agentId, skillId } = candidateOf(match);
    return usedUp.find(
      (each) =>
        each.agentId === agentId && (each.skillId === undefined || each.skillId === skillId),
    );
  };
  const left = matches.filter((match) => limitOf(match) === undefined);
  const [first] = matches;
  const refusal = first && left.length === 0 ? limitOf(first)?.refusal : undefined;
  if (refusal) throw refusal;
  return {
    matches: left,
    skipped: matches
      .filter((match) => !left.includes(match))
      .map((match) => candidateOf(match, `${limitOf(match)!.refusal.message}`)),
  };
}
