import { Injectable } from '@nestjs/common';
import { type BreakerRules, CLOSED, opened, stateOf } from '../common/circuit-breaker.js';
import { Clock } from '../common/clock.js';
import { Egress } from '../common/egress/egress.js';
import { BodyTooLargeError, discard, readText } from '../common/egress/read-body.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
import {
  type ExternalAnswer,
  type ExternalQuestion,
  readExternalAnswer,
} from './domain/external-order.js';

/** Its answer is a list of ids. */
const ANSWER_LIMIT_BYTES = 64 * 1024;
/** Consecutive failures after which it is not called for a while, so that messages do not wait for it. */
const MAX_FAILURES = 3;
const BREAKER: BreakerRules = { openMinMs: 10_000, openMaxMs: 10_000, jitter: [0, 0] };

const NOT_FOLLOWED = 'The external router could not be followed:';

/**
 * What became of a question that was not answered as it should be, as callers see it. Nothing of it comes
 * from the router, the network or the settings: the details are in the log.
 */
const PROBLEMS = {
  late: `${NOT_FOLLOWED} it did not answer in time.`,
  refused: `${NOT_FOLLOWED} it could not be reached, or refused to answer.`,
  wrong: `${NOT_FOLLOWED} its answer was too large or not of the form it should have.`,
} as const;

/** The operator's router (docs/routing.md): it is shown the candidates and puts them in order. */
@Injectable()
export class ExternalRouter {
  private failures = 0;
  private breaker = CLOSED;

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
   * a `problem`, one sentence for the explanation of the route, which callers see.
   */
  async order(question: ExternalQuestion): Promise<ExternalAnswer | { problem: string }> {
    if (stateOf(this.breaker, this.clock.now().getTime()) === 'open') {
      return { problem: 'The external router has failed repeatedly and is not asked for a while.' };
    }
    let body: string;
    try {
      body = await this.post(JSON.stringify(question));
    } catch (error) {
      return { problem: this.failed(error, kindOf(error)) };
    }
    try {
      const answer = readExternalAnswer(body);
      this.failures = 0;
      this.breaker = CLOSED;
      return answer;
    } catch (error) {
      return { problem: this.failed(error, 'wrong') };
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

  private failed(error: unknown, kind: keyof typeof PROBLEMS): string {
    this.failures++;
    if (this.failures >= MAX_FAILURES) {
      this.failures = 0;
      this.breaker = opened(this.breaker, BREAKER, this.clock.now().getTime(), 0);
    }
    this.log.warn(
      { err: error, kind },
      'the answer of the external router cannot be used; the hub chooses by itself',
    );
    return PROBLEMS[kind];
  }
}

function kindOf(error: unknown): keyof typeof PROBLEMS {
  if (error instanceof BodyTooLargeError) return 'wrong';
  return error instanceof Error && error.name.includes('Timeout') ? 'late' : 'refused';
}
