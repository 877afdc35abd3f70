import { Injectable } from '@nestjs/common';
import { PrincipalStore } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { IdSource } from '../../common/ids.js';
import { PublicUrl } from '../../config/index.js';
import { HubSettings } from '../../database/hub-settings.js';
import { SigningService } from '../../signing/index.js';
import type { AgentEndpoint } from '../agent.js';
import { AgentCallError } from '../binding/agent-call-error.js';
import type { AgentCaller } from './agent-client.js';

/** How long a token is valid, in seconds: a call begins at once. */
const VALID_SECONDS = 300;
/** Its type (RFC 8725 §3.11): it is not to be taken for any other token of the hub. */
const TYPE = 'a2a-hub-caller+jwt';

/** Signs tokens (RFC 7519) that tell an agent on whose behalf the hub calls it; its keys are published. */
@Injectable()
export class CallerTokens {
  constructor(
    private readonly signing: SigningService,
    private readonly principals: PrincipalStore,
    private readonly settings: HubSettings,
    private readonly publicUrl: PublicUrl,
    private readonly ids: IdSource,
    private readonly clock: Clock,
  ) {}

  /**
   * A token for one call: valid for 5 minutes, for the server of this interface only. Rejects with
   * `AgentCallError` when it cannot be made: nothing is sent to the agent without it, which says nothing of the agent.
   */
  async issue(caller: AgentCaller, { url }: Pick<AgentEndpoint, 'url'>): Promise<string> {
    try {
      return await this.sign(caller, audienceOf(url));
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new AgentCallError('unreachable', `the caller could not be signed: ${why}`, {
        cause,
        agentUnasked: true,
      });
    }
  }

  private async sign(caller: AgentCaller, audience: string): Promise<string> {
    const { principalId, organization, taskId, contextId } = caller;
    const iss = this.publicUrl.ofA2a;
    if (iss === null) throw new Error('publicUrl is not set, which the token names');
    const identity = (await this.principals.get(principalId))?.identity;
    const iat = Math.floor(this.clock.now().getTime() / 1000);
    const claims = JSON.stringify({
      iss,
      sub: principalId,
      // Who that is for its identity provider (RFC 9493 §3.2.3).
      ...(identity && {
        sub_id: { format: 'iss_sub', iss: identity.issuer, sub: identity.subject },
      }),
      aud: audience,
      // Who calls in its name (RFC 8693 §4.1).
      act: { sub: await this.settings.instanceId() },
      iat,
      exp: iat + VALID_SECONDS,
      jti: this.ids.next(),
      organization,
      taskId,
      contextId,
    });
    const signer = await this.signing.signer();
    const { protected: header, signature } = await signer.sign(claims, { typ: TYPE });
    return `${header}.${Buffer.from(claims).toString('base64url')}.${signature}`;
  }
}

/** Scheme, host and port; of a gRPC address without a scheme the address itself. */
function audienceOf(url: string): string {
  const { protocol, host } = /^[a-z]+:\/\//i.test(url) ? new URL(url) : { protocol: '', host: url };
  return protocol === '' ? host : `${protocol}//${host}`;
}
