import type { ProtocolVersion } from '../../../protocol/protocol-version.js';
import { timestampOf } from '../../auth/domain/standard-webhooks.js';

/** One attempt, as its headers describe it. */
export interface AttemptFacts {
  readonly version: ProtocolVersion;
  readonly contentType: string;
  readonly webhookId: string;
  /** When the attempt is made. */
  readonly at: Date;
  /** 1, 2, 3 … */
  readonly attempt: number;
  readonly seq: number;
  readonly number: number;
  /** The first event the receiver has missed since its last success. */
  readonly gapSeq: number | null;
  readonly traceparent: string | null;
  /** It is a test of the webhook and contains no event. */
  readonly test?: boolean;
  /** The subscription it is sent for. */
  readonly subscriptionId?: string | null;
  /** The headers that prove who sends; none when nothing was asked for. */
  readonly authentication: Readonly<Record<string, string>>;
  readonly token: string | null;
}

/**
 * The headers of one attempt (webhooks.md, "headers"). The token goes under both names, because
 * implementations differ; the configured authentication cannot replace any of the hub's own.
 */
export function webhookHeaders(facts: AttemptFacts): Record<string, string> {
  const { token, traceparent, gapSeq, subscriptionId, authentication } = facts;
  const headers: Record<string, string> = {
    'content-type': facts.contentType,
    'user-agent': 'a2a-hub',
    'a2a-version': facts.version,
    'webhook-id': facts.webhookId,
    'webhook-timestamp': timestampOf(facts.at),
    'a2a-hub-attempt': String(facts.attempt),
    'a2a-hub-sequence': String(facts.seq),
    'a2a-hub-delivery-number': String(facts.number),
  };
  if (token !== null) {
    headers['a2a-notification-token'] = token;
    headers['x-a2a-notification-token'] = token;
  }
  if (gapSeq !== null) headers['a2a-hub-gap'] = String(gapSeq);
  if (traceparent !== null) headers['traceparent'] = traceparent;
  if (subscriptionId) headers['a2a-hub-subscription'] = subscriptionId;
  if (facts.test) headers['a2a-hub-test'] = 'true';
  for (const name of Object.keys(authentication)) {
    // A name may be one that every object inherits, such as `constructor`.
    if (!Object.hasOwn(headers, name)) headers[name] = authentication[name]!;
  }
  return headers;
}
