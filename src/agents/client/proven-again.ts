import { isDeepStrictEqual } from 'node:util';
import type { SecretReferences } from '../../common/secret-references/secret-references.js';
import type { Agent, AgentEndpoint } from '../agent.js';
import type { AgentCallError } from '../binding/agent-call-error.js';
import { isGivenFor } from '../endpoint/credential-origins.js';
import { refreshed } from '../endpoint/sealed-headers.js';
import type { AgentProof } from './authentication/scheme.js';

/** What proves the hub in one call: the headers of the operator, and what was made for the call. */
export interface HubProof {
  readonly credentials: Readonly<Record<string, string>>;
  readonly made?: AgentProof;
}

/** A call was refused before: the agent as it is called from then on, and what its next call is made with at once. */
export interface Again {
  readonly agent: Agent;
  readonly next?: HubProof;
}

/** Where a proof comes from. */
export interface ProofSources {
  readonly endpoint: AgentEndpoint;
  readonly references: Pick<SecretReferences, 'refresh'>;
  /** The agent as it is registered now; `closed` where it takes this call no more. */
  readonly newest: () => Promise<Agent | 'closed' | undefined>;
  readonly prove: (agent: Agent) => Promise<HubProof>;
}

/**
 * What a call is made with once more that its agent has refused for what proved the hub, taking nothing else: credentials that an
 * operator has given meanwhile, secrets that are others in their source by now, or a new token. Undefined where all that is the same, and
 * where the agent was closed to new work meanwhile.
 */
export async function provenAgain(
  { kind, detail }: AgentCallError,
  proof: HubProof,
  agent: Agent,
  { endpoint, references, newest, prove }: ProofSources,
): Promise<Again | undefined> {
  if (kind !== 'rejected' || detail.httpStatus !== 401) return undefined;
  const hasNewToken = proof.made?.refused?.() === true;
  const now = (await newest().catch(() => undefined)) ?? agent;
  if (now === 'closed') return undefined;
  // Credentials that are not for this server would be left out.
  if (!isGivenFor(endpoint, now)) return undefined;
  try {
    await refreshed(now.credentials, references);
    const next = await prove(now);
    return isSame(next, proof) ? undefined : { agent: now, next };
  } catch (error) {
    // Why there is no token any more tells more than that the one before was refused.
    if (hasNewToken) throw error;
    return undefined;
  }
}

function isSame(one: HubProof, other: HubProof): boolean {
  return isDeepStrictEqual(sentOf(one), sentOf(other));
}

function sentOf({ credentials, made }: HubProof): unknown {
  return [{ ...credentials }, { ...made?.headers }, made?.tls];
}
