import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { Clock } from '../common/clock.js';
import { unlessAborted } from '../common/unless-aborted.js';
import { HubError } from '../common/hub-error.js';
import { Log } from '../common/logger.js';
import type { Voucher } from './principal.js';

/** How often it is asked; what an issuer has said is believed longer than that. */
const ASK_EVERY_MS = 5000;
/** Of one source, that are asked at once. */
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
      run: (signal: AbortSignal) => this.askAll(signal),
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

  /** Each source by itself: one that is silent keeps no other from being asked. */
  private async askAll(signal: AbortSignal): Promise<void> {
    const bySource = new Map<string, Vouched[]>();
    for (const each of this.vouched.values()) {
      const { source } = each.voucher;
      const known = bySource.get(source);
      if (known === undefined) bySource.set(source, [each]);
      else known.push(each);
    }
    const all = Promise.all([...bySource.values()].map((each) => this.askSource(each, signal)));
    await unlessAborted(all, signal, stopped).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** What is left of a source that could not be asked has to wait for the next time. */
  private async askSource(vouched: readonly Vouched[], signal: AbortSignal): Promise<void> {
    const waiting = vouched.values();
    let isAway = false;
    const ask = async (): Promise<void> => {
      for (const each of waiting) {
        if (isAway || signal.aborted) return;
        isAway = !(await this.ask(each)) || isAway;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, ask));
  }

  /** False when its source could not be asked. */
  private async ask(vouched: Vouched): Promise<boolean> {
    const { voucher, open } = vouched;
    try {
      await voucher.check();
    } catch (error) {
      const isOpen = this.vouched.get(voucher.id)?.open === open;
      if (isOpen) this.vouched.delete(voucher.id);
      if (!(error instanceof HubError) || error.reason !== 'UNAUTHENTICATED') {
        // Others are asked first the next time.
        if (isOpen) this.vouched.set(voucher.id, vouched);
        return false;
      }
      for (const each of open) each.abort(error);
    }
    return true;
  }
}

function stopped(): Error {
  return new Error('the process stops');
}
