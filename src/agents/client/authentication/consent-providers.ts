import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { HubError } from '../../../common/hub-error.js';
import { withNewestSecret } from '../../../common/oauth/newest-secret.js';
import { type TokenAnswer, TokenError } from '../../../common/oauth/request-token.js';
import { type AgentAuthentication, SECRET_MEMBERS } from '../../agent-authentication.js';
import type { Agent } from '../../agent.js';
import type { ConsentKey } from '../../consents/consent.js';
import { agentFor } from '../../endpoint/agent-for.js';
import { Locked } from '../../endpoint/sealed-json.js';
import { AgentRegistry } from '../../registry/agent-registry.js';
import { RevealedSecrets } from './revealed-secrets.js';
import { TokenServers } from './token-servers.js';

const SECRETS: ReadonlySet<string> = new Set(SECRET_MEMBERS);

const OTHER_CLIENT = 'The agent is called by another client, or at other servers, by now.';

/** Which agent a user is asked for, as it is called for the user's organization. */
export type ConsentPurpose = Pick<ConsentKey, 'agentId' | 'organization'>;

/** What an agent is called with by the consent of users. */
export interface ConsentClient {
  readonly agent: Agent;
  readonly authentication: AgentAuthentication;
  /** See {@link clientOf}. */
  readonly client: string;
}

/** No consent came of it. Its message is for whoever is asked for it. */
export class ConsentFailed extends HubError {
  /** `isDenied`: it was the user's own will. */
  constructor(message: string, isDenied = false, cause?: unknown) {
    super(isDenied ? 'PERMISSION_DENIED' : 'UNAVAILABLE', message, { cause });
  }
}

/** The providers at which users consent, for the hub as a client of theirs: what fails there is {@link ConsentFailed}. */
@Injectable()
export class ConsentProviders {
  constructor(
    @Inject(TokenServers)
    private readonly servers: Pick<TokenServers, 'serverOf' | 'userTokens' | 'revoke'>,
    @Inject(RevealedSecrets) private readonly secrets: Pick<RevealedSecrets, 'in' | 'again'>,
    @Inject(AgentRegistry) private readonly agents: Pick<AgentRegistry, 'get' | 'known'>,
  ) {}

  /** Throws {@link ConsentFailed} for an agent that is not there, needs no consent, or is called by another than `client`. */
  of({ agentId, organization }: ConsentPurpose, client?: string): ConsentClient {
    return clientFor(this.agents.get(agentId), organization, client);
  }

  serverOf(authentication: AgentAuthentication): ReturnType<TokenServers['serverOf']> {
    return this.servers.serverOf(authentication).catch(unavailable);
  }

  /** What a code is redeemed for (RFC 6749 §4.1.3). */
  redeem(
    authentication: AgentAuthentication,
    parameters: { readonly code: string; redirect_uri: string; code_verifier: string },
  ): Promise<TokenAnswer> {
    return this.asClient(authentication, (revealed) =>
      this.servers.userTokens(revealed, 'authorization_code', parameters),
    );
  }

  /** Ends a token that was given to this client of the agent, which may have been deleted. */
  async revoke(
    { agentId, organization }: ConsentPurpose,
    client: string,
    token: string,
  ): Promise<void> {
    // The servers that are asked must be those that gave it.
    const { authentication } = clientFor(this.agents.known(agentId), organization, client);
    await this.asClient(authentication, (revealed) => this.servers.revoke(revealed, token));
  }

  private async asClient<T>(
    authentication: AgentAuthentication,
    ask: (revealed: AgentAuthentication) => Promise<T>,
  ): Promise<T> {
    const revealed = await this.secrets.in(authentication).catch(noSecret);
    const newest = (): Promise<AgentAuthentication> =>
      this.secrets.again(authentication).catch(noSecret);
    return withNewestSecret(revealed, newest, ask).catch(unavailable);
  }
}

/** The same for one client of the agent at its servers, whatever its secrets. */
export function clientOf(
  { credentialOrigins }: Agent,
  authentication: AgentAuthentication,
): string {
  const members = Object.entries(authentication)
    .filter(([name]) => !SECRETS.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const origins = [...credentialOrigins].sort();
  return hash('sha256', JSON.stringify([members, origins]), 'base64');
}

function clientFor(
  shared: Agent | undefined,
  organization: string,
  expected?: string,
): ConsentClient {
  const agent = shared && agentFor(shared, organization);
  const authentication = agent?.authentication ?? null;
  if (agent === undefined || authentication === null || authentication instanceof Locked) {
    throw new ConsentFailed('The agent is not there, or needs no consent any more.');
  }
  if (authentication.type !== 'oauth2-authorization-code') {
    throw new ConsentFailed('The agent needs no consent any more.');
  }
  const client = clientOf(agent, authentication);
  if (client !== (expected ?? client)) throw new ConsentFailed(OTHER_CLIENT);
  return { agent, authentication, client };
}

function unavailable(error: unknown): never {
  if (!(error instanceof TokenError)) throw error;
  throw new ConsentFailed(`The provider gave ${error.message}.`, false, error);
}

function noSecret(cause: unknown): never {
  throw new ConsentFailed('The secret of the hub for the provider cannot be had.', false, cause);
}
