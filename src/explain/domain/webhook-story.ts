import { sentenceOf } from '../../common/sentence.js';
import { isUrl } from '../../common/is-url.js';
import type { TaskWebhook, WebhookProgress } from '../../push/index.js';
import type { StoryEntry } from './story.js';
import { countOf } from './words.js';

/** A webhook of the task, and how far it is. */
export interface FollowedWebhook {
  readonly webhook: TaskWebhook;
  readonly progress: WebhookProgress;
}

/** What a webhook got, and why not more. */
export function webhookEntry({ webhook, progress }: FollowedWebhook): StoryEntry {
  const { delivered, dead, pending, entriesBehind, lastAttempt, nextAttemptAt } = progress;
  const failed = lastAttempt !== null && lastAttempt.error !== null;
  const sentences = [
    `The webhook ${webhook.configId} (${hostOf(webhook.url)}) got ${countOf(delivered, 'update')}.`,
    ...(dead === 0 ? [] : [`${countOf(dead, 'update')} could not be delivered (dead letters).`]),
    ...(failed ? [`The last attempt failed: ${sentenceOf(whyFailed(lastAttempt))}`] : []),
    ...(pending + entriesBehind === 0 ? [] : [waits(pending + entriesBehind, nextAttemptAt)]),
    ...(webhook.state === 'active' ? [] : [stateText(webhook)]),
  ];
  return {
    at: lastAttempt?.at ?? webhook.createdAt,
    about: 'webhook',
    text: sentences.join(' '),
  };
}

/** Whether it may get updates that are there already. One that is disabled gets nothing any more. */
export function awaitsUpdates({ webhook, progress }: FollowedWebhook): boolean {
  return webhook.state !== 'disabled' && progress.pending + progress.entriesBehind > 0;
}

function whyFailed({ status, error }: NonNullable<WebhookProgress['lastAttempt']>): string {
  return status === null ? String(error) : `HTTP ${status}`;
}

function waits(count: number, nextAttemptAt: Date | null): string {
  const next =
    nextAttemptAt === null ? '' : `; the next attempt is at ${nextAttemptAt.toISOString()}`;
  return `Up to ${countOf(count, 'update')} may still be to come${next}.`;
}

function stateText({ state, stateReason }: Pick<TaskWebhook, 'state' | 'stateReason'>): string {
  return stateReason === null
    ? `The webhook is ${state}.`
    : `The webhook is ${state}: ${sentenceOf(stateReason)}`;
}

/** Its path may hold a secret. */
function hostOf(url: string): string {
  return isUrl(url) ? new URL(url).host : 'its address';
}
