import { Injectable } from '@nestjs/common';
import {
  AuthService,
  type CallerConnection,
  Challenges,
  CredentialWatch,
  type Principal,
  type RequestHeaders,
  hasScope,
} from '../auth/index.js';
import { RateLimit } from './rate-limit.js';

/** Admits callers of the A2A API: every binding asks here once for each request, before it reads the body. */
@Injectable()
export class CallAdmission {
  constructor(
    private readonly auth: AuthService,
    private readonly rate: RateLimit,
    private readonly keys: CredentialWatch,
    private readonly challenges: Challenges,
  ) {}

  /**
   * The caller, who holds the scope `a2a` and is within the rate limit. Rejects with UNAUTHENTICATED,
   * PERMISSION_DENIED or RATE_LIMITED; gRPC metadata will do as headers (names in lower case). `isKnown` is told who
   * it is as soon as that is known, also of one that may not.
   */
  async admit(
    headers: RequestHeaders,
    connection: CallerConnection,
    isKnown: (principal: Principal) => void = () => undefined,
  ): Promise<Principal> {
    const principal = await this.auth.authenticate(headers, connection);
    isKnown(principal);
    if (!hasScope(principal, 'a2a')) throw this.challenges.lacking(['a2a'], principal);
    await this.count(principal);
    return principal;
  }

  /** Counts one request of a caller that the HTTP server has admitted. Rejects with RATE_LIMITED. */
  count(principal: Principal): Promise<void> {
    return this.rate.count(principal);
  }

  /** See {@link CredentialWatch.watch}; for the call of a caller who was let in. */
  watch(principal: Principal, open: AbortController): () => void {
    return this.keys.watch(principal, open);
  }
}
