import {
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { PrincipalChanges, PrincipalStore, type UnreconciledPrincipal } from '../../auth/index.js';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { AppConfig } from '../../config/index.js';
import { PushWakeup } from '../delivery/push-wakeup.js';
import { OwnedWebhookStore } from './owned-webhook-store.js';

/** How often it looks for changes made in other processes; one small query. */
const LOOK_EVERY_MS = 1000;
const FAILURE = 'the webhooks of a changed principal could not be updated; trying again';
/** Webhooks gone through at once. */
const PIECE = 64;

/**
 * Brings the webhooks of principals in line with these, in every role but `api`. A process that disables a
 * principal, in whatever role, has its claims halted before that is answered; what else is to do is in
 * the database, so a stop in any moment loses nothing.
 */
@Injectable()
export class OwnerReconciler implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: BackgroundJob;
  private unlisten: () => void = () => undefined;

  constructor(
    private readonly principals: PrincipalStore,
    private readonly changes: PrincipalChanges,
    private readonly owned: OwnedWebhookStore,
    private readonly wakeup: PushWakeup,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly config: AppConfig,
  ) {
    const rules = {
      name: 'principal cleanup',
      failure: FAILURE,
      everyMs: LOOK_EVERY_MS,
      atOnce: true,
      run: (signal: AbortSignal) => this.reconcileAll(signal),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onModuleInit(): void {
    this.unlisten = this.changes.onChange(async (id) => {
      try {
        if (await this.isDisabled(id)) await this.owned.halt(id, this.clock.now());
      } catch (err) {
        // What was changed is committed: the next look finds it.
        this.log.warn({ err, principal: id }, FAILURE);
      }
      this.job.wake();
    });
  }

  onApplicationBootstrap(): void {
    if (this.config.role !== 'api') this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    this.unlisten();
    return this.job.stop();
  }

  private async reconcileAll(signal: AbortSignal): Promise<void> {
    for (const each of await this.principals.unreconciled()) await this.reconcile(each, signal);
  }

  private async reconcile(each: UnreconciledPrincipal, signal: AbortSignal): Promise<void> {
    if (await this.isDisabled(each.id)) await this.owned.halt(each.id, this.clock.now());
    else {
      let cursor: string | null = null;
      do {
        cursor = await this.owned.resume(each.id, cursor, PIECE, this.clock.now());
        this.wakeup.notify();
        if (signal.aborted) return;
      } while (cursor !== null);
    }
    await this.principals.reconciled(each);
  }

  private async isDisabled(id: string): Promise<boolean> {
    const status = (await this.principals.statuses([id])).get(id);
    return status !== undefined && status.disabledAt !== null;
  }
}
