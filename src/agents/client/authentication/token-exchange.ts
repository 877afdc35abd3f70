import { hash } from 'node:crypto';
import type { AgentAuthentication } from '../../agent-authentication.js';
import { callerOf, callersToken } from './callers-token.js';
import { NoCallerToken } from './no-caller-token.js';
import { bearerProof, CLIENT_MEMBERS } from './oauth-client.js';
import { printable, serverFaults } from './rules.js';
import type { AuthenticationScheme, Proving } from './scheme.js';
import type { ExchangedSubject } from './token-servers.js';

/** RFC 8693 §3. */
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:';

/** An access token in the caller's name that a token server gives for the caller's own, or for what the hub says of it (RFC 8693). */
export const tokenExchange: AuthenticationScheme = {
  members: {
    ...CLIENT_MEMBERS,
    requestedTokenType: { rule: printable },
    subject: {},
    actor: {},
    issuers: {},
  },
  check: (given): Record<string, string> => ({
    ...serverFaults(given),
    ...(isOfCaller(given) === (given.issuers === undefined) && {
      issuers: isOfCaller(given)
        ? 'must list the issuers (ids of auth.issuers) whose tokens the token server may see'
        : 'is for the subject caller',
    }),
  }),
  headers: ['authorization'],
  needsCallersToken: isOfCaller,
  prove: async (proving) => {
    const { authentication, tokens } = proving;
    const subject = isOfCaller(authentication) ? await callersOwn(proving) : hubsWord(proving);
    return bearerProof(await tokens.exchange(authentication, subject), authentication);
  },
};

function isOfCaller({ subject = 'caller' }: Pick<AgentAuthentication, 'subject'>): boolean {
  return subject === 'caller';
}

async function callersOwn({ authentication, options }: Proving): Promise<ExchangedSubject> {
  const token = (await callersToken(authentication, options)).reveal();
  const organization = options.caller?.organization;
  return {
    key: [organization, hash('sha256', token, 'base64')],
    type: `${TOKEN_TYPE}access_token`,
    token: () => Promise.resolve(token),
    refused: (cause) =>
      new NoCallerToken(
        'was not called: the token server does not accept the token of its caller, which may have expired; send the message with a fresh access token',
        true,
        cause,
      ),
  };
}

/** A token that the hub signs for the token server, which trusts the hub's keys: also for callers with an API key. */
function hubsWord({ options, callers }: Proving): ExchangedSubject {
  const caller = callerOf(options);
  const { principalId, organization, taskId } = caller;
  return {
    key: [organization, principalId, taskId],
    type: `${TOKEN_TYPE}jwt`,
    token: (url) => callers.issue(caller, { url }),
    // The caller has shown it nothing.
    refused: (cause) =>
      new NoCallerToken(
        `was not called: its token server does not accept the token that the hub signs for the caller; it has to trust the keys of the hub (${callers.keysUrl}) and to know the caller`,
        false,
        cause,
      ),
  };
}
