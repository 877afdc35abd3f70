import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { HubError } from '../../common/hub-error.js';
import { AppConfig } from '../../config/index.js';
import { Shares } from './shares.js';

/** Counts the calls that are open, streams and waiting sends among them (`server.maxOpenCalls`). */
@Injectable()
export class OpenCalls {
  private readonly shares: Shares;

  constructor(config: AppConfig) {
    this.shares = new Shares(config.server.maxOpenCalls);
  }

  /**
   * Counts one; the function given back says that it has ended. Throws RATE_LIMITED when the caller has its
   * share of them open, UNAVAILABLE when the process has no more.
   */
  open(caller: Principal): () => void {
    const refusal = this.shares.take(caller, 1);
    if (refusal === undefined) return () => this.shares.give(caller, 1);
    const options = { metadata: { retryAfterSeconds: '5' } };
    if (refusal === 'full') {
      throw new HubError('UNAVAILABLE', 'This process has too many open calls.', options);
    }
    const text = 'You have too many open calls: end some streams, or send without waiting.';
    throw new HubError('RATE_LIMITED', text, {
      ...options,
      refusal: { limit: { kind: 'openCalls' } },
    });
  }
}
