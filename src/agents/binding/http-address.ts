import { isUrl } from '../../common/is-url.js';
import type { Binding, CallRequest, OpenCall } from './binding.js';

/** What the bindings over HTTP have in common. */
export const OVER_HTTP = {
  addressRule: 'an absolute http(s) URL',
  isOverHttp: true,
  urls: (address) => (/^https?:\/\//i.test(address) && isUrl(address) ? [address] : []),
  ownsScheme: () => false,
  check: (egress, address) => egress.check(address),
  checkHeaders: () => undefined,
} satisfies Partial<Binding>;

/** The egress has the connections, so there is nothing to close. */
export function connectorOver(
  open: (request: CallRequest) => OpenCall,
): ReturnType<Binding['connect']> {
  return { open, close: () => undefined };
}
