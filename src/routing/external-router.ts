import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { Egress } from '../common/egress/egress.js';
import { discard, readText } from '../common/egress/read-body.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
import {
  type ExternalAnswer,
  type ExternalQuestion,
  readExternalAnswer,
} from './domain/external-order.js';

/** Its answer is a list of ids. */
const ANSWER_LIMIT_BYTES = 64 * 1024;
/** After so many failures in a row it is left alone for a while, so that messages do not wait for it. */
const MAX_FAILURES = 3;
const PAUSE_MS = 10_000;

/** The operator's router (docs/routing.md): it is shown the candidates and puts them in order. */
@Injectable()
export class ExternalRouter {
  private failures = 0;
  private pausedUntil = 0;

  constructor(
    private readonly config: AppConfig,
    private readonly egress: Egress,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  get isConfigured(): boolean {
    return this.config.routing.external.url !== null;
  }

  /**
   * Asks for the order of the candidates. Never rejects: a router that is slow, broken or silent gives
   * a `problem`, one sentence for the explanation of the route.
   */
  async order(question: ExternalQuestion): Promise<ExternalAnswer | { problem: string }> {
    if (this.clock.now().getTime() < this.pausedUntil) {
      return { problem: 'The external router has failed repeatedly and is not asked for a while.' };
    }
    try {
      const answer = readExternalAnswer(await this.post(JSON.stringify(question)));
      this.failures = 0;
      return answer;
    } catch (error) {
      return { problem: this.failed(error) };
    }
  }

  private async post(body: string): Promise<string> {
    const { url, token, timeoutMs } = this.config.routing.external;
    const answer = await this.egress.request(url ?? '', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body,
      connectTimeoutMs: timeoutMs,
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (answer.statusCode === 200) return readText(answer, ANSWER_LIMIT_BYTES);
    discard(answer.body);
    throw new Error(`it answered HTTP ${answer.statusCode}`);
  }

  private failed(error: unknown): string {
    const { timeoutMs } = this.config.routing.external;
    const { name, message } = error as Partial<Error>;
    const why =
      name === 'TimeoutError' ? `no answer within ${timeoutMs} ms` : (message ?? 'unknown');
    this.failures++;
    if (this.failures >= MAX_FAILURES) {
      this.failures = 0;
      this.pausedUntil = this.clock.now().getTime() + PAUSE_MS;
    }
    this.log.warn({ err: error }, 'the external router could not be followed');
    return `The external router could not be followed: ${why}.`;
  }
}
