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
  const { authentication, token, traceparent, gapSeq } = facts;
  return {
    ...authentication,
    ...(token === null
      ? {}
      : { 'a2a-notification-token': token, 'x-a2a-notification-token': token }),
    'content-type': facts.contentType,
    'user-agent': 'a2a-hub',
    'a2a-version': facts.version,
    'webhook-id': facts.webhookId,
    'webhook-timestamp': timestampOf(facts.at),
    'a2a-hub-attempt': String(facts.attempt),
    'a2a-hub-sequence': String(facts.seq),
    'a2a-hub-delivery-number': String(facts.number),
    ...(gapSeq === null ? {} : { 'a2a-hub-gap': String(gapSeq) }),
    ...(traceparent === null ? {} : { traceparent }),
    ...(facts.subscriptionId ? { 'a2a-hub-subscription': facts.subscriptionId } : {}),
    ...(facts.test ? { 'a2a-hub-test': 'true' } : {}),
  };
}
