import type { Readable } from 'node:stream';
import type { Clock } from '../common/clock.js';
import { ConnectError, type Egress } from '../common/egress/egress.js';
import { HubError } from '../common/hub-error.js';
import { scrub } from '../common/scrub.js';
import {
  type SendError,
  type WebhookAnswer,
  type WebhookRequest,
  WebhookSender,
} from './webhook-sender.js';

export interface SenderLimits {
  readonly connectTimeoutMs: number;
  /** For everything: name, connection, request, answer. */
  readonly timeoutMs: number;
  /** How much of the answer is kept. */
  readonly responseBytes: number;
}

/** {@link WebhookSender} over the hub's egress. */
export class HttpWebhookSender extends WebhookSender {
  constructor(
    private readonly egress: Egress,
    private readonly clock: Clock,
    private readonly limits: SenderLimits,
  ) {
    super();
  }

  async send(request: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer> {
    const began = this.clock.now().getTime();
    // A signal made by AbortSignal.any would stay with `signal`, which lives as long as the process.
    const attempt = new AbortController();
    const cut = (): void => attempt.abort(signal.reason);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      attempt.abort();
    }, this.limits.timeoutMs);
    signal.addEventListener('abort', cut);
    if (signal.aborted) cut();
    const outcome = await this.exchange(request, attempt.signal).catch((error: unknown) =>
      failure(error, timedOut),
    );
    clearTimeout(timer);
    signal.removeEventListener('abort', cut);
    return { ...outcome, durationMs: Math.max(0, this.clock.now().getTime() - began) };
  }

  private async exchange(
    request: WebhookRequest,
    signal: AbortSignal,
  ): Promise<Omit<WebhookAnswer, 'durationMs'>> {
    const answer = await this.egress.request(request.url, {
      method: 'POST',
      headers: request.headers,
      body: request.body,
      signal,
      connectTimeoutMs: this.limits.connectTimeoutMs,
      headersTimeoutMs: this.limits.timeoutMs,
      bodyTimeoutMs: this.limits.timeoutMs,
    });
    const text = await beginningOf(answer.body, this.limits.responseBytes);
    return {
      status: answer.statusCode,
      error: null,
      detail: null,
      retryAfterMs: retryAfterMs(answer.headers['retry-after'], this.clock.now()),
      response: scrub(text, request.secrets),
    };
  }
}

/** The first bytes of a body; what breaks off later does not matter, the status has come. */
async function beginningOf(body: Readable, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= limit) break;
    }
  } catch {
    // The receiver cut its answer, or took longer than the attempt may.
  }
  return Buffer.concat(chunks).subarray(0, limit).toString('utf8');
}

/** Seconds or a date (RFC 9110 §10.2.3); null when absent or unreadable. */
function retryAfterMs(header: string | string[] | undefined, now: Date): number | null {
  const value = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!value) return null;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}

function failure(error: unknown, timedOut: boolean): Omit<WebhookAnswer, 'durationMs'> {
  const [kind, detail] = timedOut ? (['timeout', 'no answer in time'] as const) : describe(error);
  return { status: null, error: kind, detail, retryAfterMs: null, response: null };
}

const DNS_CODES: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_NODATA',
  'EAI_FAIL',
]);
const TIMEOUT_CODE = /TIMEOUT|ETIMEDOUT/;
const TLS_CODE = /CERT|TLS|SSL|UNABLE_TO_|SELF_SIGNED|EPROTO|ISSUER/;

function describe(error: unknown): readonly [SendError, string] {
  if (error instanceof HubError && error.reason === 'EGRESS_DENIED') {
    return ['egress', error.message];
  }
  const { code, message } = error as { code?: unknown; message?: unknown };
  const text = typeof code === 'string' ? code : '';
  const detail = text || (typeof message === 'string' ? message : 'no answer');
  if (DNS_CODES.has(text)) return ['dns', detail];
  if (TIMEOUT_CODE.test(text)) return ['timeout', detail];
  if (TLS_CODE.test(text)) return ['tls', detail];
  return [error instanceof ConnectError ? 'connect' : 'network', detail];
}
