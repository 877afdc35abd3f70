import { Injectable } from '@nestjs/common';
import { actClaim, type NamedParty, PrincipalStore } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { IdSource } from '../../common/ids.js';
import { PublicUrl } from '../../config/index.js';
import { HubSettings } from '../../database/hub-settings.js';
import {
  CALLER_TOKEN_SECONDS,
  CALLER_TOKEN_TYPE,
  callerAudience,
} from '../../protocol/caller-token.js';
import { JWKS_PATH, SigningService } from '../../signing/index.js';
import type { AgentEndpoint } from '../agent.js';
import { AgentCallError } from '../binding/agent-call-error.js';
import type { AgentCaller } from './agent-client.js';

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

  /** Where the keys are published that they are signed with. */
  get keysUrl(): string {
    return `${this.publicUrl.ofA2a ?? this.publicUrl.base}${JWKS_PATH}`;
  }

  /**
   * A token for one call: valid for 5 minutes, for the server of this interface only. Rejects with
   * `AgentCallError` when it cannot be made: nothing is sent to the agent without it, which says nothing of the agent.
   */
  async issue(
    caller: Omit<AgentCaller, 'token'>,
    { url }: Pick<AgentEndpoint, 'url'>,
  ): Promise<string> {
    try {
      return await this.sign(caller, callerAudience(url));
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new AgentCallError('unreachable', `the caller could not be signed: ${why}`, {
        cause,
        agentUnasked: true,
        unproven: true,
      });
    }
  }

  private async sign(caller: Omit<AgentCaller, 'token'>, audience: string): Promise<string> {
    const { principalId, organization, chain, taskId, contextId } = caller;
    const iss = this.publicUrl.ofA2a;
    if (iss === null) throw new Error('publicUrl is not set, which the token names');
    const subject = chain?.subject ?? (await this.identityOf(principalId));
    const iat = Math.floor(this.clock.now().getTime() / 1000);
    const claims = JSON.stringify({
      iss,
      sub: principalId,
      // Who that is for its identity provider (RFC 9493 §3.2.3).
      ...(subject && { sub_id: { format: 'iss_sub', iss: subject.iss, sub: subject.sub } }),
      aud: audience,
      // Who calls in its name (RFC 8693 §4.1).
      act: actClaim(await this.settings.instanceId(), chain?.actors ?? []),
      iat,
      exp: iat + CALLER_TOKEN_SECONDS,
      jti: this.ids.next(),
      organization,
      taskId,
      contextId,
    });
    const signer = await this.signing.signer();
    const { protected: header, signature } = await signer.sign(claims, { typ: CALLER_TOKEN_TYPE });
    return `${header}.${Buffer.from(claims).toString('base64url')}.${signature}`;
  }

  private async identityOf(principalId: string): Promise<NamedParty | undefined> {
    const identity = (await this.principals.get(principalId))?.identity;
    return identity ? { iss: identity.issuer, sub: identity.subject } : undefined;
  }
}
