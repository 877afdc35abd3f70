import type { ReachedLimit } from '../../common/hub-error.js';
import { type AuditDetails, DETAIL_MEMBERS } from '../audit-entry.js';
import { bounded } from './bounded-text.js';

/** Characters of the details of an entry as JSON, at most. */
export const MAX_DETAILS = 8192;

/**
 * Details as they may be stored: the listed members alone, texts in bounds, and as many delegations as fit;
 * the rest are counted.
 */
export function boundedDetails(details: AuditDetails): AuditDetails {
  const kept: Record<string, unknown> = {};
  for (const name of DETAIL_MEMBERS) {
    const value = details[name];
    if (typeof value === 'string') kept[name] = bounded(value);
    else if (value === true || Number.isFinite(value)) kept[name] = value;
  }
  const { limit, delegations = [], moreDelegations = 0 } = details;
  if (limit !== undefined) kept['limit'] = boundedLimit(limit);
  if (delegations.length === 0) return kept;
  const all = delegations.map(({ agent, skill, state, reason, calls, begunAt, changedAt }) => ({
    agent: agent === null ? null : bounded(agent),
    skill: skill === null ? null : bounded(skill),
    state,
    reason: reason === undefined ? undefined : bounded(reason),
    calls,
    begunAt,
    changedAt,
  }));
  if (sizeAtMost(kept, all) <= MAX_DETAILS) {
    kept['delegations'] = all;
    if (moreDelegations > 0) kept['moreDelegations'] = moreDelegations;
    return kept;
  }
  let left = MAX_DETAILS - JSON.stringify(kept).length - 64;
  const fitting = all.filter((each) => (left -= JSON.stringify(each).length + 1) > 0);
  const more = moreDelegations + all.length - fitting.length;
  return { ...kept, delegations: fitting, ...(more > 0 && { moreDelegations: more }) };
}

/** Characters of their names, quotes and whatever else is not text, for each of them. */
const MEMBER = 32;
const DELEGATION = 160;

/** No less than these take as JSON, where each character takes two; without writing it, as most entries are far smaller. */
function sizeAtMost(
  kept: Readonly<Record<string, unknown>>,
  delegations: NonNullable<AuditDetails['delegations']>,
): number {
  let size = MEMBER;
  for (const value of Object.values(kept)) {
    if (typeof value === 'object') return Infinity;
    size += MEMBER + (typeof value === 'string' ? 2 * value.length : 0);
  }
  for (const { agent, skill, reason } of delegations) {
    size += DELEGATION + 2 * ((agent?.length ?? 0) + (skill?.length ?? 0) + (reason?.length ?? 0));
  }
  return size;
}

function boundedLimit({ kind, organization, principal, agent, skill }: ReachedLimit): ReachedLimit {
  return {
    kind: bounded(kind),
    ...(organization !== undefined && { organization: bounded(organization) }),
    ...(principal !== undefined && { principal: bounded(principal) }),
    ...(agent !== undefined && { agent: bounded(agent) }),
    ...(skill !== undefined && { skill: bounded(skill) }),
  };
}
