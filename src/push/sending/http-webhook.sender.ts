import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { ConnectError } from '../../common/egress/egress.js';
import { ListedReceiverError, WebhookEgress } from '../../common/egress/webhook-egress.js';
import { HubError } from '../../common/hub-error.js';
import { scrub } from '../../common/scrub.js';
import { Settings } from '../../config/index.js';
import { retryAfterMs } from './domain/retry-after.js';
import {
  type AttemptDeadline,
  type SendError,
  type WebhookAnswer,
  type WebhookRequest,
  WebhookSender,
} from './webhook-sender.js';

export interface SenderLimits {
  readonly connectTimeoutMs: number;
  /** For headers and body each; all of it has the deadline of the attempt. */
  readonly timeoutMs: number;
  /** How much of the answer is kept. */
  readonly responseBytes: number;
  /** Whether that is also done of receivers that only a list of the operator's opens. Default: no. */
  readonly showAllowedAnswers?: boolean;
}

/** {@link WebhookSender} over the hub's egress. */
@Injectable()
export class HttpWebhookSender extends WebhookSender {
  constructor(
    private readonly egress: WebhookEgress,
    private readonly clock: Clock,
    @Settings('push') private readonly limits: SenderLimits,
  ) {
    super();
  }

  async send(request: WebhookRequest, deadline: AttemptDeadline): Promise<WebhookAnswer> {
    try {
      return await this.exchange(request, deadline);
    } catch (error) {
      const failed = failure(causeOf(error), deadline.passed);
      const isShown = !(error instanceof ListedReceiverError) || this.limits.showAllowedAnswers;
      return { ...(isShown ? failed : guarded(failed)), durationMs: deadline.elapsedMs };
    }
  }

  private async exchange(
    request: WebhookRequest,
    deadline: AttemptDeadline,
  ): Promise<WebhookAnswer> {
    const { answer, isListed } = await this.egress.request(request.organization, request.url, {
      method: 'POST',
      headers: request.headers,
      body: request.body,
      signal: deadline.signal,
      clientCertificate: request.clientCertificate,
      ca: request.ca,
      connectTimeoutMs: this.limits.connectTimeoutMs,
      headersTimeoutMs: this.limits.timeoutMs,
      bodyTimeoutMs: this.limits.timeoutMs,
    });
    const text = await beginningOf(answer.body, this.limits.responseBytes);
    const isGuarded = isListed && !this.limits.showAllowedAnswers;
    return {
      status: answer.statusCode,
      error: null,
      detail: null,
      retryAfterMs: retryAfterMs(answer.headers['retry-after'], this.clock.now()),
      response: isGuarded ? null : scrub(text, request.secrets),
      durationMs: deadline.elapsedMs,
      isGuarded,
    };
  }
}

/** What is read beyond what is kept, because a connection whose answer was read can be used again. */
const READ_BYTES = 64 * 1024;

/** The first bytes of a body; what breaks off later does not matter, the status has come. */
function beginningOf(body: Readable, limit: number): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (): void => resolve(Buffer.concat(chunks).subarray(0, limit).toString('utf8'));
    body.on('data', (chunk: Buffer) => {
      if (size < limit) chunks.push(chunk);
      size += chunk.length;
      if (size < Math.max(limit, READ_BYTES)) return;
      end();
      body.destroy();
    });
    body.once('end', end);
    // The receiver cut its answer, or took longer than the attempt may.
    body.on('error', end);
    body.once('close', end);
  });
}

function causeOf(error: unknown): unknown {
  return error instanceof ListedReceiverError ? error.cause : error;
}

/** How a failure is reported where it must reveal nothing of the network behind it. */
function guarded(failed: Omit<WebhookAnswer, 'durationMs'>): Omit<WebhookAnswer, 'durationMs'> {
  const isTimeout = failed.error === 'timeout';
  const detail = isTimeout ? 'no answer in time' : 'no answer';
  return { ...failed, error: isTimeout ? 'timeout' : 'network', detail, isGuarded: true };
}

function failure(error: unknown, timedOut: boolean): Omit<WebhookAnswer, 'durationMs'> {
  const [kind, detail] = timedOut ? (['timeout', 'no answer in time'] as const) : describe(error);
  const hubTrouble = kind === 'egress' ? 'not-sent' : HUB_TROUBLES.get(detail);
  const answer = { status: null, error: kind, detail, retryAfterMs: null, response: null };
  return hubTrouble ? { ...answer, hubTrouble } : answer;
}

const DNS_CODE = /^(ENOTFOUND|EAI_)/;
const TIMEOUT_CODE = /TIMEOUT|ETIMEDOUT/;
const TLS_CODE = /CERT|TLS|SSL|UNABLE_TO_|SELF_SIGNED|EPROTO|ISSUER/;
/** Codes that speak of the egress proxy, the name service or this machine. */
const HUB_TROUBLES: ReadonlyMap<string, NonNullable<WebhookAnswer['hubTrouble']>> = new Map([
  ['EAI_AGAIN', 'unsure'],
  ['EGRESS_PROXY_REFUSED', 'unsure'],
  ['EGRESS_PROXY_AUTH', 'not-sent'],
  ['EGRESS_PROXY_TIMEOUT', 'not-sent'],
  ['EGRESS_PROXY_UNREACHABLE', 'not-sent'],
  ['EADDRNOTAVAIL', 'not-sent'],
  ['EMFILE', 'not-sent'],
  ['ENETDOWN', 'not-sent'],
  ['ENETUNREACH', 'not-sent'],
  ['ENFILE', 'not-sent'],
  ['ENOBUFS', 'not-sent'],
  ['ENOMEM', 'not-sent'],
]);
/** Codes of this form are Node's, undici's or the hub's own and say nothing but what went wrong. */
const CODE = /^[A-Z][A-Z0-9_]*$/;

/**
 * The class of the failure, and what the webhook's owner sees of it: a code, or the guard's reason.
 * Never an error's own message, which may hold the address that a name resolved to.
 */
function describe(error: unknown): readonly [SendError, string] {
  if (error instanceof HubError && error.reason === 'EGRESS_DENIED') {
    return ['egress', error.message];
  }
  const { code } = (error ?? {}) as { code?: unknown };
  const text = typeof code === 'string' && CODE.test(code) ? code : '';
  if (DNS_CODE.test(text)) return ['dns', text];
  if (TIMEOUT_CODE.test(text)) return ['timeout', text];
  if (TLS_CODE.test(text)) return ['tls', text];
  const kind = error instanceof ConnectError ? 'connect' : 'network';
  return [kind, text || 'the connection broke off'];
}
