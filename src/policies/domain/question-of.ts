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

/** The question, of somebody of an organization where the caller is of none; what is missing, as a clause, else. */
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
): PolicyQuestion | string {
  const asker: PolicyCaller = {
    id: caller.id ?? 'somebody',
    organization: caller.organization ?? organization ?? 'default',
    groups: caller.groups ?? [],
    scopes: caller.scopes ?? ['a2a'],
    signIn: caller.signIn ?? 'key',
    issuer: caller.issuer ?? '',
  };
  if (operation !== AGENT_OPERATION) {
    return agentId === undefined && skillId === undefined
      ? { caller: asker, operation, resource: null }
      : `agentId and skillId have no meaning for ${operation}`;
  }
  if (agentId === undefined) return `agentId is needed for ${operation}`;
  const resource = { agentId, agentTags, skillId: skillId ?? null, tags };
  return { caller: asker, operation, resource };
}
