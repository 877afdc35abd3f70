import { Injectable } from '@nestjs/common';
import { CertificateWatch } from '../../../common/certificate-watch.js';
import { Clock } from '../../../common/clock.js';
import type { TlsChoice } from '../../../common/egress/tls-choice.js';
import { SecretLockedError } from '../../../common/secret-box.js';
import { withNewestSecret } from '../../../common/oauth/newest-secret.js';
import { TokenError } from '../../../common/oauth/request-token.js';
import { unlessAborted } from '../../../common/unless-aborted.js';
import type { Agent, AgentEndpoint } from '../../agent.js';
import { AgentCallError, endedCall } from '../../binding/agent-call-error.js';
import { isGivenFor } from '../../endpoint/credential-origins.js';
import { Locked } from '../../endpoint/sealed-json.js';
import type { AgentAuthentication } from '../../agent-authentication.js';
import type { AgentCallOptions } from '../agent-client.js';
import { outOfReach } from '../call-headers.js';
import { CallerTokens } from '../caller-tokens.js';
import { tlsOf } from './certificate.js';
import { NoCallerToken } from './no-caller-token.js';
import { NoConsent } from './no-consent.js';
import type { AgentProof } from './scheme.js';
import { AUTHENTICATION_SCHEMES } from './schemes.js';
import { RevealedSecrets } from './revealed-secrets.js';
import { TokenServers } from './token-servers.js';
import { UserConsents } from './user-consents.js';

/** To follow the agent's name. */
const NO_TOKEN = 'could not be called, since the hub got no access token for it';

const NOTHING: AgentProof = { headers: {}, secrets: [] };

/** Makes what proves the hub in one call to an agent, besides the headers of its operator. */
@Injectable()
export class AgentAuthenticator {
  constructor(
    private readonly tokens: TokenServers,
    private readonly secrets: RevealedSecrets,
    private readonly callers: CallerTokens,
    private readonly consents: UserConsents,
    private readonly certificates: CertificateWatch,
    private readonly clock: Clock,
  ) {}

  /**
   * Rejects with `AgentCallError` when it cannot be made: nothing is sent to the agent without it, which says nothing of the
   * agent. An aborted signal rejects with `interrupted`.
   */
  async prove(
    agent: Agent,
    endpoint: AgentEndpoint,
    options: AgentCallOptions,
  ): Promise<AgentProof> {
    if (agent.authentication === null) return NOTHING;
    if (!isGivenFor(endpoint, agent))
      throw unasked('the credentials were not given for this server', {
        lacks: 'configuration',
      });
    const { signal } = options;
    const authentication = await unlessAborted(
      this.revealed(agent, agent.authentication),
      signal,
      endedCall,
    );
    try {
      const proof = this.proofBy(authentication, agent.authentication, agent, endpoint, options);
      const made = await unlessAborted(proof, signal, endedCall);
      const tls = tlsOf(authentication);
      if (tls === undefined) return made;
      this.look(agent, tls);
      return { tls, ...made };
    } catch (error) {
      if (error instanceof NoCallerToken) {
        const { message: words, isMendable } = error;
        const lacks = isMendable ? 'caller-token' : 'configuration';
        throw unasked(whyNot(error), { words, lacks });
      }
      if (error instanceof NoConsent) {
        throw unasked(error.message, { words: error.message, lacks: 'consent' });
      }
      if (error instanceof TokenError) throw unasked(error.message, { words: NO_TOKEN });
      throw error instanceof SecretLockedError ? unasked(error.message) : error;
    }
  }

  private proofBy(
    authentication: AgentAuthentication,
    stored: AgentAuthentication | Locked,
    agent: Agent,
    endpoint: AgentEndpoint,
    options: AgentCallOptions,
  ): Promise<AgentProof> {
    const { prove } = AUTHENTICATION_SCHEMES[authentication.type];
    const { tokens, callers, consents } = this;
    const proving = { agent, endpoint, options, tokens, callers, consents };
    const newest = async (): Promise<AgentAuthentication> =>
      stored instanceof Locked ? authentication : this.secrets.again(stored);
    return withNewestSecret(authentication, newest, (by) =>
      prove({ authentication: by, ...proving }),
    );
  }

  private look({ id }: Agent, { clientCertificate }: TlsChoice): void {
    if (clientCertificate === undefined) return;
    const { certificate } = clientCertificate;
    const key = `${id} ${certificate}`;
    const used = { key, certificate, owner: { agent: id }, of: 'an agent' };
    this.certificates.used(used, this.clock.now());
  }

  /** As with headers, an agent whose secrets cannot be had counts as out of reach. */
  private async revealed(
    agent: Agent,
    authentication: AgentAuthentication | Locked,
  ): Promise<AgentAuthentication> {
    if (authentication instanceof Locked) {
      outOfReach(new SecretLockedError(null, authentication.reason), agent);
    }
    return this.secrets.in(authentication).catch((error: unknown) => outOfReach(error, agent));
  }
}

/** For operators: with what a token server has answered. */
function whyNot({ message, cause }: NoCallerToken): string {
  return cause instanceof TokenError ? `${message} (${cause.message})` : message;
}

function unasked(
  message: string,
  detail: Pick<AgentCallError['detail'], 'words' | 'lacks'> = {},
): AgentCallError {
  return new AgentCallError('unreachable', message, {
    agentUnasked: true,
    unproven: true,
    ...detail,
  });
}
