import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Log } from '../common/logger.js';
import { evictOldest } from '../common/evict-oldest.js';
import { ApiKeyStore } from './api-key-store.js';

/** How old what is written of a key may become while it is used. */
const WRITE_EVERY_MS = 60_000;
/** Uses are collected for so long before they are written together. */
const COLLECT_MS = 2000;
/** Keys whose last writing is remembered; for others it is written once more. */
const REMEMBERED = 10_000;

/**
 * Notes when keys are used: for each key about once a minute, later than the request and beside it. What is
 * lost with the process, or because the database is away, is the last minute.
 */
@Injectable()
export class KeyUses implements OnApplicationShutdown {
  /** When the last use that was written, or is about to be, was; oldest first. */
  private readonly written = new Map<string, number>();
  private pending = new Map<string, Date>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: ApiKeyStore,
    private readonly log: Log,
  ) {}

  /** The key was used. Returns at once. */
  used(keyId: string, at: Date): void {
    const last = this.written.get(keyId);
    if (last !== undefined && Math.abs(at.getTime() - last) < WRITE_EVERY_MS) return;
    this.written.delete(keyId);
    evictOldest(this.written, REMEMBERED);
    this.written.set(keyId, at.getTime());
    this.pending.set(keyId, at);
    this.timer ??= setTimeout(() => void this.write(), COLLECT_MS).unref();
  }

  /** Writes what has been collected. Never rejects. */
  async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const uses = this.pending;
    if (uses.size === 0) return;
    this.pending = new Map();
    try {
      await this.store.markUsed(uses);
    } catch (error) {
      for (const id of uses.keys()) this.written.delete(id);
      this.log.warn({ err: error }, 'the last-used times of API keys could not be stored');
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.write();
  }
}
