import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { AppConfig } from '../../config/index.js';
import { IdentityStore } from '../identity-store.js';
import type { RequestHeaders } from '../credential.js';
import { type Principal, principalOf } from '../principal.js';
import {
  type CallerConnection,
  type CertifiedCaller,
  ClientCertificates,
} from './client-certificates.js';

/** Who calls with a client certificate. */
@Injectable()
export class CertificateCallers {
  constructor(
    private readonly certificates: ClientCertificates,
    private readonly config: AppConfig,
    private readonly identities: IdentityStore,
    private readonly clock: Clock,
  ) {}

  /** See {@link ClientCertificates.areTakenOn}. */
  areTakenOn(listener: CallerConnection['listener']): boolean {
    return this.certificates.areTakenOn(listener);
  }

  /** See {@link ClientCertificates.refuseForged}. */
  refuseForged(connection: CallerConnection, headers: RequestHeaders): void {
    this.certificates.refuseForged(connection, headers);
  }

  /** See {@link ClientCertificates.callerOf}. */
  shownBy(connection: CallerConnection, headers: RequestHeaders): CertifiedCaller | undefined {
    return this.certificates.callerOf(connection, headers);
  }

  /**
   * The principal that a certificate stands for: one for each entry of the settings and name in it, whatever certificate
   * shows that. Rejects with UNAUTHENTICATED when the principal is disabled.
   */
  async find({ entry, subject, until: expiresAt }: CertifiedCaller): Promise<Principal> {
    const { name, organization, scopes } = entry;
    const at = this.clock.now();
    const grace = at.getTime() + this.config.auth.signInGraceMs;
    const until = new Date(Math.max(grace, expiresAt.getTime()));
    const signIn = { issuer: `certificate:${name}`, subject, organization, scopes, at, until };
    const { id: identityId, principalId, isDisabled } = await this.identities.signIn(signIn);
    if (isDisabled) {
      throw new HubError('UNAUTHENTICATED', 'The principal of the client certificate is disabled.');
    }
    const known = { id: principalId, organization, scopes, identityId, expiresAt };
    return principalOf({ ...known, isCertified: true });
  }
}

/** Why the open calls of a certificate end that has expired. */
export function certificateHasExpired(at: Date): HubError {
  return new HubError(
    'UNAUTHENTICATED',
    `The client certificate has expired (${at.toISOString()}): connect with a new one and subscribe to the task again; nothing is lost.`,
  );
}
