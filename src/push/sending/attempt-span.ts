import type { Span, Tracing } from '../../common/tracing/tracing.js';
import { ATTR, SPAN } from '../../observability/tracing/span-names.js';
import type { TaskWebhook } from '../registration/webhook.js';
import type { AttemptFacts } from './domain/webhook-headers.js';
import type { WebhookAnswer } from './webhook-sender.js';

/** The span of one attempt; undefined where the trace of its task is not recorded. */
export function beginAttemptSpan(
  tracing: Pick<Tracing, 'begin'>,
  { traceparent, taskId, url }: Pick<TaskWebhook, 'traceparent' | 'taskId' | 'url'>,
  facts: Pick<AttemptFacts, 'webhookId' | 'seq' | 'attempt'>,
): Span | undefined {
  const span = tracing.begin(traceparent, SPAN.WEBHOOK, 'client');
  if (span === undefined) return undefined;
  const { protocol, hostname, port } = new URL(url);
  span.set(ATTR.HTTP_METHOD, 'POST');
  span.set(ATTR.URL_SCHEME, protocol.slice(0, -1));
  span.set(ATTR.SERVER_ADDRESS, hostname);
  span.set(ATTR.SERVER_PORT, port === '' ? null : Number(port));
  span.set(ATTR.TASK_ID, taskId);
  span.set(ATTR.WEBHOOK_ID, facts.webhookId);
  span.set(ATTR.WEBHOOK_SEQ, facts.seq);
  span.set(ATTR.WEBHOOK_ATTEMPT, facts.attempt);
  return span;
}

export function endAttemptSpan(span: Span, { status, error }: WebhookAnswer): void {
  span.set(ATTR.HTTP_STATUS, status);
  const isRefused = status !== null && (status < 200 || status >= 300);
  span.end(error ?? (isRefused ? String(status) : undefined));
}
