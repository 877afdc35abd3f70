import type { Agent, AgentEndpoint } from '../../agent.js';
import type { AgentCaller, AgentCallOptions } from '../agent-client.js';
import type { TlsChoice } from '../../../common/egress/tls-choice.js';
import type { CallerTokens } from '../caller-tokens.js';
import type { AgentAuthentication, AuthenticationParameters } from '../../agent-authentication.js';
import type { LentToken, TokenServers } from './token-servers.js';

/** What one call to an agent carries besides the headers of its operator. */
export interface AgentProof {
  readonly headers: Readonly<Record<string, string>>;
  /** Values that must not appear in what is kept of the answer. */
  readonly secrets: readonly string[];
  /** What the connection is made with; the usual without it. */
  readonly tls?: TlsChoice | undefined;
  /** After a refusal: whether another proof may fare better; what was refused is not used again then. */
  readonly refused?: () => boolean;
}

/** Tokens that users have consented to. */
export interface ConsentedTokens {
  /** Rejects with `NoConsent` when there is none for this agent as it is now, and with `TokenError`. */
  lend(
    agent: Agent,
    authentication: AgentAuthentication,
    caller: Pick<AgentCaller, 'principalId' | 'organization'>,
  ): Promise<LentToken>;
}

/** One call that is to be proven. */
export interface Proving {
  readonly agent: Agent;
  readonly authentication: AgentAuthentication;
  readonly endpoint: AgentEndpoint;
  readonly options: AgentCallOptions;
  readonly tokens: TokenServers;
  readonly callers: Pick<CallerTokens, 'issue' | 'keysUrl'>;
  readonly consents: ConsentedTokens;
}

/** What is wrong with a value, for people; undefined when nothing is. Never holds the value. */
export type Rule = (value: string) => string | undefined;

/** A way in which the hub proves itself to agents. Each has a file here, and is listed in `schemes.ts`. */
export interface AuthenticationScheme {
  readonly members: Readonly<
    Partial<
      Record<keyof AuthenticationParameters, { readonly required?: true; readonly rule?: Rule }>
    >
  >;
  /** What is wrong with all of it together, by the member. */
  readonly check?: (given: AuthenticationParameters) => Readonly<Record<string, string>>;
  /** The headers it sets, in lower case. */
  readonly headers: readonly string[];
  /** Whether the caller's own access token is needed: it is kept for the task then. */
  readonly needsCallersToken?: (given: AuthenticationParameters) => boolean;
  /** Rejects with `TokenError`, `NoCallerToken` or `NoConsent` when there is no proof now: nothing is sent without it. */
  readonly prove: (proving: Proving) => Promise<AgentProof>;
}
