import type { SubjectToken } from '../../../auth/index.js';
import type { AgentAuthentication } from '../../agent-authentication.js';
import type { AgentCaller, AgentCallOptions } from '../agent-client.js';
import { NoCallerToken } from './no-caller-token.js';

/** In whose name a call is made. Throws {@link NoCallerToken} where it is the hub's own. */
export function callerOf({ caller }: AgentCallOptions): AgentCaller {
  if (caller !== undefined) return caller;
  throw new NoCallerToken('was not called: it is called for a caller, and this call is for none');
}

/**
 * The access token that the caller of a task came with last, of one of the `issuers` that the operator has listed for the agent: no
 * other is shown to anybody. Rejects with {@link NoCallerToken}.
 */
export async function callersToken(
  { issuers = [] }: AgentAuthentication,
  options: AgentCallOptions,
): Promise<SubjectToken> {
  const token = await callerOf(options).token();
  if (token === undefined) {
    throw new NoCallerToken(
      'was not called: it needs the access token of its caller, and there is none (an API key or a certificate was shown), or it has expired; send the message with a fresh access token',
      true,
    );
  }
  if (!issuers.includes(token.issuerId)) {
    throw new NoCallerToken(
      'was not called: the access token of its caller is of an issuer whose tokens it does not get',
    );
  }
  return token;
}
