import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BackgroundJob } from '../common/background-job.js';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { longTurn } from '../common/long-work.js';
import { AppConfig } from '../config/index.js';
import { Database } from '../database/database.js';
import { HubSettings } from '../database/hub-settings.js';
import type { Tx, Work } from '../database/sql.js';
import { SigningService } from '../signing/index.js';
import { AuditLog } from './audit-log.js';
import { AuditStore } from './audit-store.js';
import { type Anchor, type AnchorKind, anchorText, hashOfAnchor } from './domain/anchor.js';
import type { ChainPlace } from './domain/audit-event.js';

/** The `typ` of an anchor's signature. */
const TYPE = 'a2a-hub-audit';
/** Every so many runs the chains of other processes are looked at: those that have ended left their ends unsigned. */
const OTHERS_EVERY = 10;
/** A process that has not signed what it wrote after so many times `audit.anchorEvery` has ended. */
const ENDED_AFTER = 3;
/** How often another process may be first with an anchor, or revoke the key that signed it. */
const ATTEMPTS = 20;

/** What proves that an anchor is of this hub, beside its signature. */
export function sealOf(settings: HubSettings, text: string): Promise<string> {
  return settings.fingerprint(['audit anchor', text]);
}

/**
 * Signs where the chains are, every `audit.anchorEvery` and when the process stops: of what was signed nothing can be
 * changed or cut off that does not show.
 */
@Injectable()
export class AuditAnchors implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly job: BackgroundJob;
  private readonly everyMs: number;
  private runs = 0;
  /** The last entry of this process's chain that was signed. */
  private signed = 0;
  private newestAnchor: Pick<Anchor, 'number' | 'hash'> | undefined;

  constructor(
    private readonly audit: AuditLog,
    private readonly store: AuditStore,
    private readonly signing: SigningService,
    private readonly settings: HubSettings,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    { audit: { anchorEveryMs } }: AppConfig,
  ) {
    this.everyMs = anchorEveryMs;
    const rules = {
      name: 'audit anchors',
      failure: 'the audit log could not be signed; it is tried again',
      everyMs: anchorEveryMs,
      run: (signal: AbortSignal) => this.run(signal),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  /** The newest anchor that this process has seen. */
  get newest(): Pick<Anchor, 'number' | 'hash'> | undefined {
    return this.newestAnchor;
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.job.stop();
    try {
      await this.anchorOwn();
    } catch (error) {
      this.log.warn({ err: error }, 'the end of the audit log could not be signed');
    }
  }

  /** Signs where all chains are whose end is not signed. */
  async run(signal?: AbortSignal): Promise<void> {
    await this.anchorOwn();
    if (this.runs % OTHERS_EVERY === 0) await this.anchorOthers(signal);
    this.runs += 1;
  }

  /** Adds an anchor behind all others. */
  async add(kind: AnchorKind, chain: string, { seq, hash }: ChainPlace): Promise<Anchor> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const previous = this.later(await this.store.lastAnchor());
      const content = {
        number: (previous?.number ?? 0) + 1,
        at: this.clock.now(),
        ...{ kind, chain, seq, chainHash: hash },
        previousHash: previous?.hash ?? '',
      };
      const text = anchorText(content);
      const signer = await this.signing.signer();
      const { protected: protectedHeader, signature } = await signer.sign(text, { typ: TYPE });
      const anchor = {
        ...content,
        ...{ hash: hashOfAnchor(content), kid: signer.kid, protectedHeader, signature },
        seal: await sealOf(this.settings, text),
      };
      // An anchor by a key that another process has revoked meanwhile would be none.
      const mayBeStored = (tx: Tx): Work<boolean> => this.signing.holds(tx, anchor.kid);
      if ((await this.store.addAnchor(anchor, mayBeStored)) !== 'added') continue;
      this.newestAnchor = { number: anchor.number, hash: anchor.hash };
      // Kept elsewhere, this line proves that the log has not been cut off before it.
      this.log.info(
        { number: anchor.number, hash: anchor.hash, kind, chain, seq },
        'the audit log was signed',
      );
      return anchor;
    }
    throw new Error('other processes were first with each anchor of the audit log');
  }

  /** Where the newest one that was seen is not there any more, the next one follows it all the same, so that this shows. */
  private later(stored: Anchor | undefined): Pick<Anchor, 'number' | 'hash'> | undefined {
    const { newestAnchor } = this;
    if (stored === undefined) return newestAnchor;
    return newestAnchor !== undefined && newestAnchor.number > stored.number
      ? newestAnchor
      : stored;
  }

  private async anchorOwn(): Promise<void> {
    const { head } = this.audit;
    if (head === undefined || head.seq <= this.signed) return;
    await this.add('head', head.chain, head);
    this.signed = head.seq;
  }

  private async anchorOthers(signal?: AbortSignal): Promise<void> {
    const now = this.clock.now().getTime();
    let chain: string | undefined = '';
    while ((chain = await this.store.chainAfter(chain)) !== undefined && !signal?.aborted) {
      await longTurn();
      if (chain === this.audit.head?.chain) continue;
      const end = await this.store.endOf(chain);
      if (end === undefined) continue;
      // The clock of one that has ended may have been far ahead.
      const age = Math.abs(now - end.at.getTime());
      const isEnded = this.database.soleProcess || age > ENDED_AFTER * this.everyMs;
      const anchor = await this.store.lastAnchorOf(chain, 'head');
      if (isEnded && end.seq > (anchor?.seq ?? 0)) await this.add('head', chain, end);
    }
  }
}
