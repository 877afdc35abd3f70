import { Injectable } from '@nestjs/common';
import type { HubError } from '../common/hub-error.js';
import type { Scope } from '../common/scope.js';
import { PublicUrl } from '../config/index.js';
import { type RequestHeaders, presented } from './credential.js';
import { AccessTokens } from './issuers/access-tokens.js';
import { metadataPathOf, METADATA_PATH } from './issuers/protected-resource.js';
import { lackingScope } from './lacking-scope.js';
import type { Principal } from './principal.js';

const SCHEME = 'Bearer realm="a2a-hub"';
/** A scope (RFC 6749 §3.3); an issuer may have others as names, which a header cannot hold. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
/** What an error_description must not hold (RFC 6750 §3). */
const NOT_DESCRIBING = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/g;

/** A request that was refused. */
interface Refused {
  readonly url: string;
  readonly headers: RequestHeaders;
}

/** Makes the `WWW-Authenticate` of refusals. */
@Injectable()
export class Challenges {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly publicUrl: PublicUrl,
  ) {}

  /**
   * Of a 401 (RFC 6750 §3) or of a 403 for want of a scope (§3.1); undefined for other failures. A caller that has shown a
   * key or token learns what is wrong with it, one that has shown none learns nothing more. Where tokens are accepted, it
   * says where it is published whose (RFC 9728 §5.1).
   */
  of({ reason, message, metadata }: HubError, { url, headers }: Refused): string | undefined {
    if (reason === 'UNAUTHENTICATED') {
      const description = message.replace(NOT_DESCRIBING, "'");
      const fault =
        presented(headers) === undefined
          ? ''
          : `, error="invalid_token", error_description="${description}"`;
      return SCHEME + fault + this.resource(url);
    }
    const { scope, hubScope } = metadata;
    const isForScope = reason === 'PERMISSION_DENIED' && (scope ?? hubScope) !== undefined;
    if (!isForScope) return undefined;
    const needed = scope !== undefined && SCOPE.test(scope) ? `, scope="${scope}"` : '';
    return `${SCHEME}, error="insufficient_scope"${needed}${this.resource(url)}`;
  }

  /** Why a caller is refused that has none of these scopes of the hub; see {@link lackingScope}. */
  lacking(needed: readonly [Scope, ...Scope[]], caller: Principal): HubError {
    return lackingScope(needed, caller, this.tokens.issuers);
  }

  private resource(url: string): string {
    if (this.tokens.issuers.length === 0) return '';
    const path = metadataPathOf(url) ?? METADATA_PATH;
    return `, resource_metadata="${this.publicUrl.base}${path}"`;
  }
}
