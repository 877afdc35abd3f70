import type { Deadline } from '../../common/deadline.js';
import type { TlsChoice } from '../../common/egress/tls-choice.js';

/** One request to a webhook, complete. */
export interface WebhookRequest extends TlsChoice {
  readonly url: string;
  /** Whose webhook it is: what may be reached depends on it. */
  readonly organization: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Values that must not appear in what is kept of the answer. */
  readonly secrets: readonly string[];
}

/**
 * Why no (usable) answer came. `egress`: the address is forbidden; `auth`: the proof of who sends could
 * not be made.
 */
export type SendError = 'dns' | 'connect' | 'tls' | 'timeout' | 'network' | 'egress' | 'auth';

export interface WebhookAnswer {
  readonly status: number | null;
  readonly error: SendError | null;
  /** One sentence on the error; never holds a secret. */
  readonly detail: string | null;
  /** `Retry-After`, in milliseconds from now; null when absent or unreadable. */
  readonly retryAfterMs: number | null;
  /** The beginning of the body, scrubbed; null when there was no answer. */
  readonly response: string | null;
  readonly durationMs: number;
  /** The answer of such a receiver must not be shown: only its status is, and its time in whole seconds. */
  readonly isGuarded?: boolean;
  /** Trying again would not help: the webhook asks for a proof that there is not. */
  readonly isPermanent?: true;
  /**
   * It says nothing of the receiver. `not-sent`: the hub's own way out failed (egress policy, proxy,
   * network); `unsure`: the name service or the proxy did not find the way to it just now.
   */
  readonly hubTrouble?: 'not-sent' | 'unsure';
}

/** When the time of an attempt is up, or its caller cuts it. */
export type AttemptDeadline = Pick<Deadline, 'signal' | 'passed' | 'elapsedMs'>;

/**
 * Makes one POST and returns its result. It passes the egress guard at connect, never follows a
 * redirect, ends with its deadline and never rejects.
 */
export abstract class WebhookSender {
  abstract send(request: WebhookRequest, deadline: AttemptDeadline): Promise<WebhookAnswer>;
}
