import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { IdSource } from '../../common/ids.js';
import { PublicUrl } from '../../config/index.js';
import { SigningService } from '../../signing/index.js';
import { AuthUnavailableError } from './auth-failure.js';

/** How long a token is valid, in seconds. */
const VALID_SECONDS = 300;

/** What one token is for. */
export interface TokenSubject {
  readonly url: string;
  readonly taskId: string;
  /** Whose webhook it is. */
  readonly organization: string;
  readonly at: Date;
  readonly body: string;
}

/** Signs tokens (RFC 7519) that prove a request comes from this hub; its keys are published (A2A §13.2). */
@Injectable()
export class HubTokens {
  constructor(
    private readonly signing: SigningService,
    private readonly ids: IdSource,
    @Inject(PublicUrl) private readonly address: Pick<PublicUrl, 'ofA2a'>,
  ) {}

  /**
   * A token for one attempt: valid for 5 minutes, for the receiver's origin and these bytes only. Rejects
   * with {@link AuthUnavailableError} when the hub's public address is not known.
   */
  async issue({ url, taskId, organization, at, body }: TokenSubject): Promise<string> {
    const iss = this.address.ofA2a;
    if (iss === null) {
      throw new AuthUnavailableError('publicUrl is not set, which a JWT of the hub names');
    }
    const iat = Math.floor(at.getTime() / 1000);
    const claims = JSON.stringify({
      iss,
      aud: new URL(url).origin,
      iat,
      exp: iat + VALID_SECONDS,
      jti: this.ids.next(),
      taskId,
      organization,
      request_body_sha256: hash('sha256', body, 'hex'),
    });
    const signer = await this.signing.signer();
    const { protected: header, signature } = await signer.sign(claims, { typ: 'JWT' });
    return `${header}.${Buffer.from(claims).toString('base64url')}.${signature}`;
  }
}
