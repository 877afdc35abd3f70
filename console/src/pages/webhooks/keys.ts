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

/** What the queries begin with that count the lost events of a receiver. */
export const LOST_OF = 'lost-of';
/** And those of all receivers. */
export const LOST_EVENTS = 'lost-events';

/** Counts anew what receivers lost: something of it was sent again or deleted. */
export function refreshLost(): Promise<void> {
  return queries.invalidateQueries({
    predicate: ({ queryKey: [first] }) => first === LOST_OF || first === LOST_EVENTS,
  });
}

/** How long after what happened the lists are read, in milliseconds: once for all that comes meanwhile. */
const GATHER_MS = 1_000;
let waiting: ReturnType<typeof setTimeout> | undefined;

/** As `refreshPush`, for what comes by itself and may come hundreds of times a second. */
export function refreshPushSoon(): void {
  waiting ??= setTimeout(() => {
    waiting = undefined;
    void refreshPush();
  }, GATHER_MS);
}
