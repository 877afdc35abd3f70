import { invalidField } from '../common/hub-error.js';
import { isUrl } from '../common/is-url.js';
import { Networks } from '../common/networks.js';
import type { ApiKey } from './api-key-store.js';

type Lists = Partial<Pick<ApiKey, 'allowedNetworks' | 'allowedOrigins'>>;

/** Where the calls of a key may come from. */
export class KeyBounds {
  private readonly networks: Networks | undefined;
  private readonly origins: ReadonlySet<string> | undefined;

  private constructor({ allowedNetworks = [], allowedOrigins = [] }: Lists) {
    if (allowedNetworks.length > 0) this.networks = new Networks(allowedNetworks);
    if (allowedOrigins.length > 0) this.origins = new Set(allowedOrigins);
  }

  /** Undefined for a key that may be used from everywhere. */
  static of(key: Pick<ApiKey, 'allowedNetworks' | 'allowedOrigins'>): KeyBounds | undefined {
    const isBounded = key.allowedNetworks.length > 0 || key.allowedOrigins.length > 0;
    return isBounded ? new KeyBounds(key) : undefined;
  }

  /** Throws INVALID_PARAMS for a list with an entry that nothing could fit. */
  static check({ allowedNetworks = [], allowedOrigins = [] }: Lists): void {
    const fault = Networks.faultOf(allowedNetworks);
    if (fault !== undefined)
      throw invalidField('allowedNetworks', `has an entry that nothing fits: ${fault}`);
    const odd = allowedOrigins.find((origin) => !isOrigin(origin));
    if (odd === undefined) return;
    const text = `has "${odd}", which is no origin as browsers send it (https://app.example.com)`;
    throw invalidField('allowedOrigins', text);
  }

  /** What of a call does not fit, for the audit log; undefined when it may be made. What is not known fits nothing. */
  fault(address: string | undefined, origin: string | undefined): string | undefined {
    const isNear =
      this.networks === undefined || (address !== undefined && this.networks.has(address));
    if (!isNear) return 'foreign-network';
    const isOwnPage =
      this.origins === undefined || (origin !== undefined && this.origins.has(origin));
    return isOwnPage ? undefined : 'foreign-origin';
  }
}

/** As browsers send it: they compare letter by letter. */
function isOrigin(text: string): boolean {
  if (!isUrl(text)) return false;
  const { protocol, origin, hostname } = new URL(text);
  const isHost = !hostname.includes('*');
  return /^https?:$/.test(protocol) && isHost && origin === text;
}
