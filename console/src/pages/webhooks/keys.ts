import { queries } from '../../api/client';

/** What the queries of this page's lists begin with. */
export const PUSH = 'push';

const PATHS = '/api/v1/push/';

/** Reads anew what is shown of webhooks: something was changed, or has happened. */
export function refreshPush(): Promise<void> {
  return queries.invalidateQueries({
    predicate: ({ queryKey: [first, second] }) =>
      first === PUSH || (typeof second === 'string' && second.startsWith(PATHS)),
  });
}
