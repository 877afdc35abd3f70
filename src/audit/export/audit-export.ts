import type { AuditEvent } from '../domain/audit-event.js';
import type { NotTaken } from './export-store.js';

export const EXPORT_TYPES = ['webhook', 'syslog', 'otlp'] as const;
export type ExportType = (typeof EXPORT_TYPES)[number];

/** Where a new export begins. */
export const EXPORT_BEGINNINGS = ['start', 'now'] as const;

/** A receiver that the audit log is sent to as it is written. */
export interface AuditExport {
  readonly id: string;
  readonly type: ExportType;
  readonly url: string;
  readonly from: (typeof EXPORT_BEGINNINGS)[number];
  /** Of webhooks: the key (Standard Webhooks) that signs each request; null: none. */
  readonly secret: Buffer | null;
  /** Of webhooks and OTLP: the header `Authorization`. */
  readonly authorization: string | null;
  /** Certificates of authorities (PEM) that are trusted for it, and no others; null: those of Node. */
  readonly ca: string | null;
  /** Entries in one request at most. */
  readonly batchEntries: number;
  readonly timeoutMs: number;
}

/** Entries that follow each other in a chain. */
export interface ExportBatch {
  readonly chain: string;
  readonly first: number;
  readonly last: number;
  readonly events: readonly AuditEvent[];
}

/** Brings entries to a receiver of one type. */
export interface ExportSender {
  /** Resolves when the receiver has acknowledged them all, with those that it has rejected all the same. Rejects when it has not, or that is not known. */
  send(batch: ExportBatch, signal: AbortSignal): Promise<NotTaken | undefined>;
}
