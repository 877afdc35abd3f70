import { withMember } from '../../common/merged.js';
import { SecretLockedError } from '../../common/secret-box.js';
import { A2A_VERSION_HEADER, HTTP_EXTENSION_HEADER } from '../../protocol/a2a.js';
import { isListable } from '../../protocol/header-list.js';
import { HOPS_HEADER } from '../../protocol/hops.js';
import type { Agent, AgentEndpoint } from '../agent.js';
import { AgentCallError } from '../binding/agent-call-error.js';
import { isGivenFor } from '../endpoint/credential-origins.js';
import { sendable } from '../endpoint/sealed-headers.js';
import type { AgentCallOptions } from './agent-client.js';

/** Name of the extension header in 0.x; 1.0 dropped the prefix. */
const LEGACY_EXTENSION_HEADER = 'X-A2A-Extensions';

/** Nothing is sent without credentials that cannot be opened: the agent counts as out of reach. */
function credentialsOf({ credentials }: Agent): Readonly<Record<string, string>> {
  try {
    return sendable(credentials);
  } catch (error) {
    if (!(error instanceof SecretLockedError)) throw error;
    throw new AgentCallError('unreachable', error.message, { cause: error });
  }
}

/** The headers of one call at an interface; credentials only where they are for its server. */
export function headersOf(
  agent: Agent,
  endpoint: AgentEndpoint,
  options: AgentCallOptions,
): Record<string, string> {
  const credentials = isGivenFor(endpoint, agent) ? credentialsOf(agent) : {};
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
  if (options.traceparent !== undefined) headers['traceparent'] = options.traceparent;
  if (options.hops !== undefined && options.hops.length > 0) {
    headers[HOPS_HEADER] = options.hops.join(',');
  }
  return headers;
}
