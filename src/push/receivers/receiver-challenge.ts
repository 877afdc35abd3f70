import { Inject, Injectable } from '@nestjs/common';
import { Deadline } from '../../common/deadline.js';
import { discard } from '../../common/egress/read-body.js';
import { WebhookEgress } from '../../common/egress/webhook-egress.js';
import { PublicUrl, Settings } from '../../config/index.js';

/**
 * Asks a receiver whether it agrees to be called: the abuse protection of HTTP 1.1 Web Hooks for Event
 * Delivery (CloudEvents, section 4). `OPTIONS` at the webhook's address with `WebHook-Request-Origin`; it
 * agrees by an answer 2xx whose `WebHook-Allowed-Origin` has that origin, or `*`.
 */
@Injectable()
export class ReceiverChallenge {
  constructor(
    @Inject(WebhookEgress) private readonly egress: Pick<WebhookEgress, 'request'>,
    @Settings('push')
    private readonly limits: { readonly connectTimeoutMs: number; readonly timeoutMs: number },
    @Inject(PublicUrl) private readonly address: Pick<PublicUrl, 'base'>,
  ) {}

  /** False for any answer that does not agree, for none, and once `cut` has aborted. Never rejects. */
  async agrees(organization: string, url: string, cut: AbortSignal): Promise<boolean> {
    // The host name that the hub is known by.
    const origin = new URL(this.address.base).hostname;
    const limit = new Deadline(cut, this.limits.timeoutMs);
    try {
      const { answer } = await this.egress.request(organization, url, {
        method: 'OPTIONS',
        headers: { 'webhook-request-origin': origin, 'user-agent': 'a2a-hub' },
        signal: limit.signal,
        connectTimeoutMs: this.limits.connectTimeoutMs,
        headersTimeoutMs: this.limits.timeoutMs,
        bodyTimeoutMs: this.limits.timeoutMs,
      });
      discard(answer.body);
      const isGood = answer.statusCode >= 200 && answer.statusCode < 300;
      return isGood && names(answer.headers['webhook-allowed-origin'], origin);
    } catch {
      return false;
    } finally {
      limit.end();
    }
  }
}

function names(header: string | readonly string[] | undefined, origin: string): boolean {
  const values = [header ?? []].flat().flatMap((each) => each.split(','));
  return values.some((each) => ['*', origin.toLowerCase()].includes(each.trim().toLowerCase()));
}
