import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { KeptValue } from '../../common/kept-value.js';
import { AppConfig } from '../../config/index.js';
import { Metrics } from '../../observability/metrics.js';
import type { AuditExport } from './audit-export.js';
import { readDeclaredExports } from './declared-exports.js';
import { type ExportState, ExportStore } from './export-store.js';

/** For metrics the database is asked no more often than this. */
const FRESH_MS = 15_000;
/** What was found is shown no longer. */
const KEPT_MS = 60_000;

/** An export, how far it has come, and what waits. */
export interface ExportView {
  readonly to: AuditExport;
  /** Undefined: it has not begun. */
  readonly state: ExportState | undefined;
  /** Entries that are not sent yet, and when the oldest of them was written. */
  readonly waiting: number;
  readonly oldestAt: Date | null;
}

/** The exports of the configuration and how each is getting on, in whichever process. */
@Injectable()
export class AuditExports implements OnModuleInit {
  private readonly kept: KeptValue<readonly ExportView[]>;
  private declared: Promise<readonly AuditExport[]> | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly store: ExportStore,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {
    const rules = { freshMs: FRESH_MS, keptMs: KEPT_MS, failureMs: 0 };
    this.kept = new KeptValue({ read: () => this.views(), ...rules }, clock);
  }

  onModuleInit(): void {
    const { metrics } = this;
    metrics.gauge(
      'audit_export_waiting_entries',
      'Entries of the audit log that an export has not sent yet.',
      ['export'],
      (give) => this.each(({ to, waiting }) => give({ export: to.id }, waiting)),
    );
    metrics.gauge(
      'audit_export_lag_seconds',
      'Age of the oldest entry of the audit log that an export has not sent yet; 0 for none.',
      ['export'],
      (give) =>
        this.each(({ to, oldestAt }) =>
          give(
            { export: to.id },
            oldestAt === null ? 0 : (this.clock.now().getTime() - oldestAt.getTime()) / 1000,
          ),
        ),
    );
    metrics.gauge(
      'audit_export_missed_entries',
      'Entries of the audit log that were deleted before an export had sent them.',
      ['export'],
      (give) => this.each(({ to, state }) => give({ export: to.id }, state?.missed ?? 0)),
    );
    metrics.gauge(
      'audit_export_set_aside_entries',
      'Entries of the audit log that a receiver refused again and again, and does not get.',
      ['export'],
      (give) => this.each(({ to, state }) => give({ export: to.id }, state?.setAside ?? 0)),
    );
  }

  /** The exports of the configuration. */
  all(): Promise<readonly AuditExport[]> {
    this.declared ??= readDeclaredExports(this.config.audit.export);
    return this.declared;
  }

  async views(): Promise<readonly ExportView[]> {
    return Promise.all((await this.all()).map((to) => this.viewOf(to)));
  }

  /** Up to which entry a chain may be deleted because no export needs it; Infinity where there are none. */
  async sentByAll(chain: string): Promise<number> {
    const ids = await this.ids();
    return ids.length === 0 ? Infinity : this.store.sentByAll(ids, chain);
  }

  /** {@link ExportStore.passOver}; how many entries each export of the configuration misses. */
  async passOver(
    chain: string,
    seq: number,
  ): Promise<readonly { readonly exportId: string; readonly count: number }[]> {
    const missed = await this.store.passOver(chain, seq);
    const ids = await this.ids();
    return missed.filter(({ exportId }) => ids.includes(exportId));
  }

  /** See {@link ExportStore.forgetEndedChains}. */
  forgetEndedChains(): Promise<void> {
    return this.store.forgetEndedChains();
  }

  private async ids(): Promise<readonly string[]> {
    return (await this.all()).map(({ id }) => id);
  }

  /** For metrics, which many may read: what all of them are read from is kept for a while. */
  private async each(report: (view: ExportView) => void): Promise<void> {
    (await this.kept.get()).forEach(report);
  }

  private async viewOf(to: AuditExport): Promise<ExportView> {
    const state = await this.store.state(to.id);
    const pending = await this.store.pending(to.id);
    const waiting = pending.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    const oldest = Math.min(...pending.map(({ firstAt }) => firstAt.getTime()));
    return { to, state, waiting, oldestAt: pending.length === 0 ? null : new Date(oldest) };
  }
}
