import { Inject, Injectable } from '@nestjs/common';
import { Deadline } from '../../common/deadline.js';
import { SecretBox } from '../../common/secret-box.js';
import { Tracing } from '../../common/tracing/tracing.js';
import { Settings } from '../../config/index.js';
import { AuthImpossibleError, AuthUnavailableError } from '../auth/auth-failure.js';
import { Authenticator, type Proof } from '../auth/authenticator.js';
import { type AttemptFacts, webhookHeaders } from './domain/webhook-headers.js';
import type { TaskWebhook } from '../registration/webhook.js';
import { beginAttemptSpan, endAttemptSpan } from './attempt-span.js';
import {
  type SendError,
  type WebhookAnswer,
  type WebhookRequest,
  WebhookSender,
} from './webhook-sender.js';

/** The facts of one attempt that do not come from its webhook. */
export type SendFacts = Omit<AttemptFacts, 'version' | 'traceparent' | 'token' | 'authentication'>;

/** A configured number of milliseconds for everything: proof, name, connection, request, answer. */
export interface AttemptLimits {
  readonly timeoutMs: number;
}

/**
 * Sends one body to a webhook: the only way to a receiver, for deliveries and test sends
 * alike. The proof of who sends is made anew each time; the body is not.
 */
@Injectable()
export class AttemptSender {
  constructor(
    private readonly sender: WebhookSender,
    @Inject(Authenticator) private readonly authenticator: Pick<Authenticator, 'prove'>,
    private readonly secrets: SecretBox,
    @Settings('push') private readonly limits: AttemptLimits,
    @Inject(Tracing) private readonly tracing: Pick<Tracing, 'isOn' | 'begin'>,
  ) {}

  /**
   * One attempt. A receiver that answers 401 to a token of a token server is asked once more with a
   * new one, in the same time. A proof that cannot be made, or not in that time, is an answer without a
   * status, of the class `auth`: the receiver got nothing. Rejects only with troubles of the hub's own: a stored secret that cannot be opened, a
   * database that is away. `sent` gets each request as it is sent.
   */
  async send(
    webhook: TaskWebhook,
    facts: SendFacts,
    body: string,
    signal: AbortSignal,
    sent?: (request: WebhookRequest) => void,
  ): Promise<WebhookAnswer> {
    const span = this.tracing.isOn ? beginAttemptSpan(this.tracing, webhook, facts) : undefined;
    if (span === undefined) return this.sendWithin(webhook, facts, body, signal, sent);
    const traced = { ...webhook, traceparent: span.traceparent };
    try {
      const answer = await this.sendWithin(traced, facts, body, signal, sent);
      endAttemptSpan(span, answer);
      return answer;
    } catch (error) {
      span.end('internal');
      throw error;
    }
  }

  private async sendWithin(
    webhook: TaskWebhook,
    facts: SendFacts,
    body: string,
    signal: AbortSignal,
    sent: ((request: WebhookRequest) => void) | undefined,
  ): Promise<WebhookAnswer> {
    const deadline = new Deadline(signal, this.limits.timeoutMs);
    try {
      const answer = await this.proveAndPost(webhook, facts, body, deadline, sent);
      const late = deadline.passed && answer.status === null && !HAS_ITS_CLASS.has(answer.error);
      const { elapsedMs } = deadline;
      const durationMs = answer.isGuarded ? Math.ceil(elapsedMs / 1000) * 1000 : elapsedMs;
      return { ...answer, ...(late ? TOO_LATE : {}), durationMs };
    } finally {
      deadline.end();
    }
  }

  private async proveAndPost(
    webhook: TaskWebhook,
    facts: SendFacts,
    body: string,
    deadline: Deadline,
    sent: ((request: WebhookRequest) => void) | undefined,
  ): Promise<WebhookAnswer> {
    const message = { webhookId: facts.webhookId, at: facts.at, body };
    const prove = (): Promise<Proof> =>
      deadline.unlessOver(this.authenticator.prove(webhook, message));
    let answer: WebhookAnswer | undefined;
    try {
      const proof = await prove();
      answer = await this.post(webhook, facts, body, proof, deadline, sent);
      if (answer.status !== 401 || !proof.refused?.()) return answer;
      return await this.post(webhook, facts, body, await prove(), deadline, sent);
    } catch (error) {
      // The receiver's 401 says more than the token server that is away now.
      if (answer !== undefined) return answer;
      return unproven(error, deadline);
    }
  }

  private post(
    webhook: TaskWebhook,
    facts: SendFacts,
    body: string,
    proof: Proof,
    deadline: Deadline,
    sent: ((request: WebhookRequest) => void) | undefined,
  ): Promise<WebhookAnswer> {
    const { version, traceparent, subscriptionId, url, organization, sealedToken } = webhook;
    const token = sealedToken === null ? null : this.secrets.open(sealedToken);
    // Member by member: an object that is put together of others is slow, and this is done for each attempt.
    const headers = webhookHeaders({
      version,
      contentType: facts.contentType,
      webhookId: facts.webhookId,
      at: facts.at,
      attempt: facts.attempt,
      seq: facts.seq,
      number: facts.number,
      gapSeq: facts.gapSeq,
      traceparent,
      test: facts.test === true,
      subscriptionId,
      authentication: proof.headers,
      token,
    });
    const secrets = [...proof.secrets, ...(token === null ? [] : [token])];
    const request = { url, organization, headers, body, secrets, ...proof.tls };
    sent?.(request);
    return this.sender.send(request, deadline);
  }
}

const NO_ANSWER = { status: null, retryAfterMs: null, response: null, durationMs: 0 } as const;
const TOO_LATE = { error: 'timeout', detail: 'no answer in time' } as const;
const NO_PROOF = { error: 'auth', detail: 'the proof of who sends was not made in time' } as const;
/** What stays what it is when the time is up. */
const HAS_ITS_CLASS: ReadonlySet<SendError | null> = new Set(['timeout', 'auth']);

/** The answer for a proof that could not be made; what is no matter of the proof is thrown on. */
function unproven(error: unknown, deadline: Deadline): WebhookAnswer {
  if (error instanceof AuthUnavailableError) {
    return { ...NO_ANSWER, error: 'auth', detail: error.message };
  }
  if (error instanceof AuthImpossibleError) {
    return { ...NO_ANSWER, error: 'auth', detail: error.message, isPermanent: true };
  }
  if (deadline.passed) return { ...NO_ANSWER, ...NO_PROOF };
  if (deadline.signal.aborted) return { ...NO_ANSWER, error: 'network', detail: 'it was cut' };
  throw error;
}
