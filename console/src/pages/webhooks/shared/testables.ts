import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS } from '../../../api/pages';
import type { TestOutcome } from './test-dialog';

/** Webhooks of single tasks that are offered. */
const MOST_CONFIGS = 10;

/** A webhook that a receiver can be tested with. */
export interface Testable {
  readonly id: string;
  readonly kind: 'subscription' | 'config';
  readonly label: string;
}

/** Webhooks that go to this receiver: subscriptions, then the newest of single tasks. */
export async function testablesOf(
  { organization, origin }: Schema<'EndpointDto'>,
  signal: AbortSignal,
): Promise<readonly Testable[]> {
  const endpoint = `${organization} ${origin}`;
  const [subscriptions, configs] = await Promise.all([
    client.GET('/api/v1/push/subscriptions', {
      params: { query: { limit: PAGE_ROWS, endpoint } },
      signal,
    }),
    client.GET('/api/v1/push/configs', {
      params: { query: { limit: MOST_CONFIGS, endpoint } },
      signal,
    }),
  ]);
  return [
    ...subscriptions.data!.items.map(({ id, url }): Testable => ({
      id,
      kind: 'subscription',
      label: `subscription ${url}`,
    })),
    ...configs
      .data!.items.filter((each) => each.subscriptionId === null)
      .map(({ id, taskId, url }): Testable => ({
        id,
        kind: 'config',
        label: `task ${taskId} ${url}`,
      })),
  ];
}

export async function testOf({ id, kind }: Pick<Testable, 'id' | 'kind'>): Promise<TestOutcome> {
  const params = { path: { id } };
  if (kind === 'subscription') {
    return (await client.POST('/api/v1/push/subscriptions/{id}:test', { params })).data!;
  }
  const { data } = await client.POST('/api/v1/push/configs/{id}:test', { params });
  const { attempt, reason, ...outcome } = data!;
  return { ...attempt, ...outcome, error: reason };
}
