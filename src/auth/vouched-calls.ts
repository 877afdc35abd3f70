import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { Clock } from '../common/clock.js';
import { HubError } from '../common/hub-error.js';
import { Log } from '../common/logger.js';
import type { Voucher } from './principal.js';

/** How often it is asked; what an issuer has said is believed longer than that. */
const ASK_EVERY_MS = 5000;
/** Vouchers that are asked at once. */
const AT_ONCE = 16;

interface Vouched {
  readonly voucher: Voucher;
  readonly open: Set<AbortController>;
}

/**
 * Ends open calls whose caller a new call would not be believed any more: its token was revoked, or signed by a key that
 * its issuer has withdrawn; its certificate is of an authority that is trusted no longer. When nobody can be asked they go on.
 */
@Injectable()
export class VouchedCalls implements OnApplicationBootstrap, OnModuleDestroy {
  /** By the id of the voucher: one question for all calls with one token. */
  private readonly vouched = new Map<string, Vouched>();
  private readonly job: BackgroundJob;

  constructor(clock: Clock, log: Log) {
    const rules = {
      name: 'watch of sign-ins',
      failure: 'the sign-ins of open calls could not be verified again',
      everyMs: ASK_EVERY_MS,
      run: () => this.askAll(),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  /** Aborts `open` with the refusal once its caller is not vouched for any more, until the function that is given back is called. */
  watch(voucher: Voucher, open: AbortController): () => void {
    let entry = this.vouched.get(voucher.id);
    if (entry === undefined) {
      entry = { voucher, open: new Set() };
      this.vouched.set(voucher.id, entry);
    }
    const { open: mine } = entry;
    mine.add(open);
    return () => {
      mine.delete(open);
      const isLast = mine.size === 0 && this.vouched.get(voucher.id)?.open === mine;
      if (isLast) this.vouched.delete(voucher.id);
    };
  }

  private async askAll(): Promise<void> {
    const waiting = [...this.vouched.values()].values();
    const ask = async (): Promise<void> => {
      for (const each of waiting) await this.ask(each);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, ask));
  }

  private async ask({ voucher, open }: Vouched): Promise<void> {
    try {
      await voucher.check();
    } catch (error) {
      if (!(error instanceof HubError) || error.reason !== 'UNAUTHENTICATED') return;
      if (this.vouched.get(voucher.id)?.open === open) this.vouched.delete(voucher.id);
      for (const each of open) each.abort(error);
    }
  }
}
