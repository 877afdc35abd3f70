import { client, type Schema } from '../../../api/client';
import { type PageOf, PAGE_ROWS } from '../../../api/pages';
import { asProblem } from '../../../api/problem';
import type { Testable } from '../shared/testables';

/** Pages that are read of each list; what is behind them is resumed after these. */
const MOST_PAGES = 5;

type Webhook = Pick<Testable, 'id' | 'kind'>;

export interface DisabledWebhooks {
  readonly webhooks: readonly Webhook[];
  /** There are more. */
  readonly isLeast: boolean;
}

/** The disabled subscriptions and webhooks of tasks that go to this receiver. */
export async function disabledOf(
  { organization, origin }: Schema<'EndpointDto'>,
  signal: AbortSignal,
): Promise<DisabledWebhooks> {
  const query = {
    limit: PAGE_ROWS,
    endpoint: `${organization} ${origin}`,
    state: 'disabled',
  } as const;
  const [subscriptions, configs] = await Promise.all([
    someOf((cursor) =>
      client.GET('/api/v1/push/subscriptions', { params: { query: { ...query, cursor } }, signal }),
    ),
    someOf((cursor) =>
      client.GET('/api/v1/push/configs', { params: { query: { ...query, cursor } }, signal }),
    ),
  ]);
  // Those that a subscription made are resumed with it.
  const own = configs.items.filter(({ subscriptionId }) => subscriptionId === null);
  return {
    webhooks: [
      ...subscriptions.items.map(({ id }): Webhook => ({ id, kind: 'subscription' })),
      ...own.map(({ id }): Webhook => ({ id, kind: 'config' })),
    ],
    isLeast: subscriptions.isLeast || configs.isLeast,
  };
}

export interface Resumed {
  readonly done: number;
  readonly failed: number;
  /** Why the first of these could not be resumed. */
  readonly why: string | null;
}

/** Resumes one after the other; ends early when `signal` is aborted. `onProgress` hears of how many it was tried. */
export async function resumeAll(
  webhooks: readonly Webhook[],
  onProgress: (tried: number) => void,
  signal: AbortSignal,
): Promise<Resumed> {
  let [done, failed] = [0, 0];
  let why: string | null = null;
  for (const webhook of webhooks) {
    if (signal.aborted) break;
    try {
      await resume(webhook);
      done += 1;
    } catch (thrown) {
      failed += 1;
      why ??= asProblem(thrown).message;
    }
    onProgress(done + failed);
  }
  return { done, failed, why };
}

async function resume({ id, kind }: Webhook): Promise<void> {
  const params = { path: { id } };
  if (kind === 'subscription') {
    await client.POST('/api/v1/push/subscriptions/{id}:resume', { params });
  } else {
    await client.POST('/api/v1/push/configs/{id}:resume', { params });
  }
}

async function someOf<Item>(
  read: (cursor: string | undefined) => Promise<{ readonly data?: PageOf<Item> }>,
): Promise<{ readonly items: readonly Item[]; readonly isLeast: boolean }> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { data } = await read(cursor);
    items.push(...data!.items);
    if (data!.nextCursor === null) return { items, isLeast: false };
    cursor = data!.nextCursor;
  }
  return { items, isLeast: true };
}
