import { withMember } from '../../common/merged.js';
import { SecretLockedError } from '../../common/secret-box.js';
import {
  type SecretReferences,
  SecretUnavailableError,
} from '../../common/secret-references/secret-references.js';
import { A2A_VERSION_HEADER, HTTP_EXTENSION_HEADER } from '../../protocol/a2a.js';
import { isListable } from '../../protocol/header-list.js';
import { HOPS_HEADER } from '../../protocol/hops.js';
import type { Agent, AgentEndpoint } from '../agent.js';
import { AgentCallError } from '../binding/agent-call-error.js';
import { isGivenFor } from '../endpoint/credential-origins.js';
import { sendable, sendableNow } from '../endpoint/sealed-headers.js';
import type { AgentCallOptions } from './agent-client.js';

/** Name of the extension header in 0.x; 1.0 dropped the prefix. */
const LEGACY_EXTENSION_HEADER = 'X-A2A-Extensions';

const NO_HEADERS: Readonly<Record<string, string>> = {};

/**
 * The credentials for a call at an interface, only where they are for its server: at once, unless a secret that they refer
 * to has to be read. Nothing is sent without credentials that cannot be opened or read: the agent counts as out of reach.
 */
export function credentialsFor(
  agent: Agent,
  endpoint: AgentEndpoint,
  references: Pick<SecretReferences, 'current' | 'resolve'>,
): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
  const { credentials, calledFor } = agent;
  if (!isGivenFor(endpoint, agent)) {
    if (calledFor === undefined) return NO_HEADERS;
    const message = `the credentials of ${calledFor} were not given for this server`;
    const detail = { agentUnasked: true, lacks: 'configuration' } as const;
    throw new AgentCallError('unreachable', message, detail);
  }
  const failed = (error: unknown): never => outOfReach(error, agent);
  try {
    return sendableNow(credentials, references) ?? sendable(credentials, references).catch(failed);
  } catch (error) {
    return failed(error);
  }
}

/**
 * What an agent comes to whose secrets cannot be opened or read now. Those of one organization say nothing of the agent, which others
 * call with theirs.
 */
export function outOfReach(error: unknown, agent: Pick<Agent, 'calledFor'>): never {
  if (!(error instanceof SecretLockedError)) throw error;
  const isSourceAway = error instanceof SecretUnavailableError;
  throw new AgentCallError('unreachable', error.message, {
    cause: error,
    unproven: true,
    ...(agent.calledFor !== undefined && { agentUnasked: true }),
    ...(!isSourceAway && { lacks: 'configuration' }),
  });
}

/** The headers of one call at an interface. */
export function headersOf(
  credentials: Readonly<Record<string, string>>,
  endpoint: AgentEndpoint,
  options: AgentCallOptions,
  /** What the call is part of: its own span, where it has one. */
  traceparent = options.traceparent,
): Record<string, string> {
  const { protocolVersion } = endpoint;
  const headers: Record<string, string> = withMember(
    credentials,
    A2A_VERSION_HEADER,
    protocolVersion,
  );
  // What cannot be in the list is in the message all the same.
  const extensions = options.extensions?.filter(isListable) ?? [];
  if (extensions.length > 0) {
    const modern = endpoint.protocolVersion === '1.0';
    headers[modern ? HTTP_EXTENSION_HEADER : LEGACY_EXTENSION_HEADER] = extensions.join(',');
  }
  if (traceparent !== undefined) {
    headers['traceparent'] = traceparent;
    if (options.tracestate !== undefined) headers['tracestate'] = options.tracestate;
  }
  if (options.hops !== undefined && options.hops.length > 0) {
    headers[HOPS_HEADER] = options.hops.join(',');
  }
  return headers;
}
