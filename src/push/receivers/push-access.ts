import {
  EVERYTHING,
  hasScope,
  type Principal,
  type Visibility,
  visibilityOf,
} from '../../auth/index.js';
import { invalidField } from '../../common/hub-error.js';
import { endpointOf } from './endpoint.js';
import { isUrl } from '../../common/is-url.js';

/**
 * Whose webhooks and deliveries a caller of the admin API sees: its own, its organization's with scope
 * `tasks:organization`, everybody's with `push:all`.
 */
export function seenBy(caller: Principal): Visibility {
  return hasScope(caller, 'push:all') ? EVERYTHING : visibilityOf(caller);
}

/**
 * The endpoint (as rows name it) that a filter gives: as it is shown, or as a URL in the organization asked
 * for, else in the caller's own. An operator, who sees all of them, has to say which. Throws INVALID_PARAMS.
 */
export function requestedEndpoint(
  url: string | undefined,
  organization: string | undefined,
  caller: Principal,
): string | undefined {
  if (url === undefined) return undefined;
  const shown = /^(?<of>\S.*) (?<origin>https?:\S+)$/.exec(url)?.groups;
  if (shown) return requestedEndpoint(shown['origin'], shown['of'], caller);
  if (!isUrl(url) || !/^https?:/i.test(url)) {
    throw invalidField('endpoint', 'must be an http or https URL such as https://hooks.example');
  }
  if (organization === undefined && hasScope(caller, 'push:all')) {
    throw invalidField('organization', 'is required with endpoint');
  }
  return endpointOf(organization ?? caller.organization, url);
}
