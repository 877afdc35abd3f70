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

  /** What tells it from all other credentials. No hash: no text that is sent as a key can be taken for it. */
  idOf({ entry, subject, until, listener, chain }: CertifiedCaller): string {
    const { fingerprint256 } = chain.own;
    return `certificate ${listener} ${fingerprint256} ${until.getTime()} ${entry.name} ${subject}`;
  }

  /**
   * The principal that a certificate stands for: one for each entry of the settings and name in it, whatever certificate
   * shows that. Rejects with UNAUTHENTICATED when the principal is disabled.
   */
  find(caller: CertifiedCaller): Promise<Principal> {
    const { entry, subject, until: expiresAt, listener, chain } = caller;
    const { name, organization, scopes } = entry;
    const issuer = `certificate:${name}`;
    return this.signIns.principalFor({
      by: 'client certificate',
      issuer,
      subject,
      organization,
      scopes,
      expiresAt,
      voucher: {
        id: this.idOf(caller),
        source: issuer,
        check: () => this.certificates.refuseUntrusted(listener, chain),
      },
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
