import type { FieldViolation } from '../../common/hub-error.js';
import {
  AGENT_OPERATION,
  type PolicyCaller,
  type PolicyOperation,
  type PolicyQuestion,
} from './policy.js';

/** A question as it is written, by hand, without what goes without saying. */
export interface WrittenQuestion {
  readonly caller: Partial<PolicyCaller>;
  readonly operation?: PolicyOperation | undefined;
  readonly agentId?: string | undefined;
  readonly agentTags?: readonly string[] | undefined;
  readonly skillId?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** The question, of somebody of an organization where the caller is of none; else the field that makes it none. */
export function questionOf(
  {
    caller,
    operation = AGENT_OPERATION,
    agentId,
    agentTags = [],
    skillId,
    tags = [],
  }: WrittenQuestion,
  organization: string | null,
): PolicyQuestion | FieldViolation {
  const asker: PolicyCaller = {
    id: caller.id ?? 'somebody',
    organization: caller.organization ?? organization ?? 'default',
    groups: caller.groups ?? [],
    scopes: caller.scopes ?? ['a2a'],
    signIn: caller.signIn ?? 'key',
    issuer: caller.issuer ?? '',
  };
  if (operation !== AGENT_OPERATION) {
    if (agentId === undefined && skillId === undefined) {
      return { caller: asker, operation, resource: null };
    }
    const field = agentId === undefined ? 'skillId' : 'agentId';
    return { field, description: `has no meaning for ${operation}` };
  }
  if (agentId === undefined) {
    return { field: 'agentId', description: `is needed for ${operation}` };
  }
  const resource = { agentId, agentTags, skillId: skillId ?? null, tags };
  return { caller: asker, operation, resource };
}
