import { Injectable } from '@nestjs/common';
import { HubError } from '../../common/hub-error.js';
import type { RequestHeaders } from '../credential.js';
import type { Principal } from '../principal.js';
import { SignIns } from '../sign-ins.js';
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
    private readonly signIns: SignIns,
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
  find({ entry, subject, until: expiresAt }: CertifiedCaller): Promise<Principal> {
    const { name, organization, scopes } = entry;
    const issuer = `certificate:${name}`;
    return this.signIns.principalFor({
      by: 'client certificate',
      issuer,
      subject,
      organization,
      scopes,
      expiresAt,
    });
  }
}

/** Why the open calls of a certificate end that has expired. */
export function certificateHasExpired(at: Date): HubError {
  return new HubError(
    'UNAUTHENTICATED',
    `The client certificate has expired (${at.toISOString()}): connect with a new one and subscribe to the task again; nothing is lost.`,
    { refusal: { cause: 'expired-certificate' } },
  );
}
