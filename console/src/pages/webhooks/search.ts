import { getRouteApi } from '@tanstack/react-router';
import { present, textsOf } from '../../ui/search';

const NAMES = [
  'tab',
  /** What is open above the list. */
  'id',
  /** Of a receiver that is open: `true`, it is to be brought back. */
  'recover',
  'state',
  /** Of receivers that fail: `true`, those that reject events; `false`, the others. */
  'rejects',
  'config',
  'endpoint',
  'task',
  'organization',
  'subscription',
  'url',
  'type',
  'range',
  'since',
  'until',
] as const;

/** What of the page stands in its address. */
export type WebhookSearch = { readonly [Name in (typeof NAMES)[number]]?: string };

export function webhookSearchOf(search: Record<string, unknown>): WebhookSearch {
  return textsOf(search, NAMES);
}

const route = getRouteApi('/webhooks');

/** What the address says, and how some of it is changed. */
export function useWebhookSearch(): readonly [WebhookSearch, (change: WebhookChange) => void] {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: WebhookChange) =>
    void navigate({ search: (now) => present({ ...now, ...changed }), replace: true });
  return [search, change];
}

type WebhookChange = { readonly [Name in keyof WebhookSearch]: string | undefined };
