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
    ...(reason !== undefined && { reason: bounded(reason) }),
    calls,
    begunAt,
    changedAt,
  }));
  let left = MAX_DETAILS - JSON.stringify(kept).length - 64;
  const fitting = all.filter((each) => (left -= JSON.stringify(each).length + 1) > 0);
  const more = moreDelegations + all.length - fitting.length;
  return { ...kept, delegations: fitting, ...(more > 0 && { moreDelegations: more }) };
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
