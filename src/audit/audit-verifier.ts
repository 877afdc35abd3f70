import { Injectable } from '@nestjs/common';
import { HubError } from '../common/hub-error.js';
import { longTurn } from '../common/long-work.js';
import { AnchorCheck } from './anchor-check.js';
import { AuditAnchors } from './audit-anchors.js';
import { AuditLog } from './audit-log.js';
import { AuditStore } from './audit-store.js';
import type { Anchor } from './domain/anchor.js';
import { CHAIN_START, type ChainPlace, hashOfEvent } from './domain/audit-event.js';
import type { BrokenPlace } from './domain/broken-place.js';

/** Entries and anchors that are looked at in one piece. */
const PIECE = 200;
/** Broken places that are told. */
const MAX_BROKEN = 20;

/** An anchor that somebody has kept elsewhere. */
export interface KeptAnchor {
  readonly number: number;
  readonly hash: string;
}

/** What a verification has found. */
export interface Verification {
  readonly valid: boolean;
  readonly chains: number;
  readonly entries: number;
  /** Entries at the ends of chains that are not signed yet. */
  readonly unsigned: number;
  readonly anchors: number;
  readonly newestAnchor: Anchor | null;
  /** The first broken place of the anchors and of each chain, up to 20 of them. */
  readonly broken: readonly BrokenPlace[];
}

/** Finds out whether the audit log is as it was written: no entry changed, added, or cut out by anybody but the retention. */
@Injectable()
export class AuditVerifier {
  private isRunning = false;

  constructor(
    private readonly store: AuditStore,
    private readonly audit: AuditLog,
    private readonly anchors: AuditAnchors,
    private readonly check: AnchorCheck,
  ) {}

  /** Rejects with CONFLICT while another verification of this process is running. */
  async verify(kept: KeptAnchor | undefined): Promise<Verification> {
    if (this.isRunning) {
      throw new HubError('CONFLICT', 'A verification is running already: wait for its result.');
    }
    this.isRunning = true;
    try {
      return await this.verified(kept);
    } finally {
      this.isRunning = false;
    }
  }

  private async verified(kept: KeptAnchor | undefined): Promise<Verification> {
    const known = this.anchors.newest;
    const anchors = await this.check.all(PIECE, [known, kept]);
    const broken: BrokenPlace[] = anchors.broken === null ? [] : [anchors.broken];
    let [chains, entries, unsigned] = [0, 0, 0];
    const count = async (chain: string): Promise<void> => {
      const cut = await this.store.lastAnchorOf(chain, 'cut');
      const isLookedAt = cut === undefined || cut.number > anchors.from;
      const forged = isLookedAt ? null : await this.check.brokenAlone(cut);
      if (forged !== null && broken.length < MAX_BROKEN) broken.push(forged);
      const found = await this.chain(chain);
      chains += 1;
      entries += found.entries;
      unsigned += found.unsigned;
      if (found.broken !== null && broken.length < MAX_BROKEN) broken.push(found.broken);
    };
    let chain: string | undefined = '';
    while ((chain = await this.store.chainAfter(chain)) !== undefined) await count(chain);
    // Of those that anchors speak of there may be nothing left.
    chain = '';
    while ((chain = await this.store.anchoredChainAfter(chain)) !== undefined) {
      if ((await this.store.endOf(chain)) === undefined) await count(chain);
    }
    const { count: anchorCount, newest: newestAnchor } = anchors;
    const valid = broken.length === 0;
    return { valid, chains, entries, unsigned, anchors: anchorCount, newestAnchor, broken };
  }

  private async chain(
    chain: string,
  ): Promise<{ entries: number; unsigned: number; broken: BrokenPlace | null }> {
    let entries = 0;
    let place = await this.beginningOf(chain);
    const heads = new Heads(this.store, chain, place.seq);
    let signed = place.seq;
    const result = (broken: BrokenPlace | null) => ({
      entries,
      unsigned: broken === null ? place.seq - signed : 0,
      broken,
    });
    for (;;) {
      await longTurn();
      // What is not there after this must be.
      const written = this.audit.head?.chain === chain ? this.audit.head.seq : 0;
      const rows = await this.store.chainRows(chain, place.seq, PIECE);
      for (const { seq, event } of rows) {
        if (seq !== place.seq + 1) {
          const moved = await this.beginningOf(chain);
          // Cut meanwhile, by the retention: the rest is looked at from there.
          if (moved.seq > place.seq) {
            place = moved;
            break;
          }
          return result({ what: 'entry-missing', chain, seq: place.seq + 1, anchor: null });
        }
        if (event === null || hashOfEvent(event) !== event.hash) {
          return result({ what: 'entry-changed', chain, seq, anchor: null });
        }
        if (event.previousHash !== place.hash) {
          return result({ what: 'entry-does-not-follow', chain, seq, anchor: null });
        }
        place = event;
        entries += 1;
        for (const anchor of await heads.at(seq)) {
          signed = seq;
          if (anchor.chainHash === event.hash) continue;
          const { number } = anchor;
          return result({ what: 'entry-is-not-what-was-signed', chain, seq, anchor: number });
        }
      }
      if (rows.length > 0) continue;
      const missing = await heads.next();
      if (missing === undefined && written <= place.seq) return result(null);
      if ((await this.beginningOf(chain)).seq > place.seq) {
        place = await this.beginningOf(chain);
        continue;
      }
      const seq = place.seq + 1;
      return result({
        what: 'entries-missing-at-end',
        chain,
        seq,
        anchor: missing?.number ?? null,
      });
    }
  }

  private async beginningOf(chain: string): Promise<ChainPlace> {
    const cut = await this.store.lastAnchorOf(chain, 'cut');
    return cut === undefined ? CHAIN_START : { seq: cut.seq, hash: cut.chainHash };
  }
}

/** The anchors of a chain, in the order of its places. */
class Heads {
  private piece: readonly Anchor[] = [];
  private index = 0;
  private isDone = false;

  constructor(
    private readonly store: AuditStore,
    private readonly chain: string,
    private after: number,
  ) {}

  /** Those of this place, if any; what is before it has been asked for, or is no longer there. */
  async at(seq: number): Promise<readonly Anchor[]> {
    const found: Anchor[] = [];
    for (let next = await this.next(); next !== undefined && next.seq <= seq;) {
      if (next.seq === seq) found.push(next);
      this.index += 1;
      next = await this.next();
    }
    return found;
  }

  /** The first that has not been asked for. */
  async next(): Promise<Anchor | undefined> {
    if (this.index === this.piece.length && !this.isDone) {
      this.piece = await this.store.anchorsOf(this.chain, 'head', this.after, PIECE);
      this.index = 0;
      this.isDone = this.piece.length < PIECE;
      this.after = this.piece.at(-1)?.seq ?? this.after;
    }
    return this.piece[this.index];
  }
}
