import { Injectable } from '@nestjs/common';
import { flattenedVerify, importJWK } from 'jose';
import { longTurn } from '../common/long-work.js';
import { HubSettings } from '../database/hub-settings.js';
import { type ListedKey, SigningService } from '../signing/index.js';
import { sealOf } from './audit-anchors.js';
import { AuditStore } from './audit-store.js';
import { type Anchor, anchorText, hashOfAnchor } from './domain/anchor.js';
import type { Break, BrokenPlace } from './domain/broken-place.js';

/** An anchor that must be there. */
type Expected = Pick<Anchor, 'number' | 'hash'> | undefined;

/** The keys of the hub, by their ids, with what verifies. */
type Keys = ReadonlyMap<
  string,
  { readonly listed: ListedKey; readonly key: ReturnType<typeof importJWK> }
>;

/** Checks the anchors: none is missing, changed, or signed by somebody else. */
@Injectable()
export class AnchorCheck {
  constructor(
    private readonly store: AuditStore,
    private readonly signing: SigningService,
    private readonly settings: HubSettings,
  ) {}

  /**
   * All of them, the first broken place and the newest anchor; `from`: the last that is not looked at, since the
   * retention has deleted it or is going to. `expected` are anchors that were there.
   */
  async all(
    piece: number,
    expected: readonly Expected[],
  ): Promise<{ count: number; newest: Anchor | null; from: number; broken: BrokenPlace | null }> {
    let keys = await this.keys();
    let floor = await this.floor(keys);
    let previous = floor.last;
    const open = new Map(expected.flatMap((each) => (each ? [[each.number, each.hash]] : [])));
    let count = 0;
    let newest: Anchor | null = null;
    const result = (broken: BrokenPlace | null) => {
      return { count, newest, from: floor.last.number, broken };
    };
    if (floor.broken !== null) return result(floor.broken);
    for (;;) {
      await longTurn();
      for (const number of open.keys()) if (number <= previous.number) open.delete(number);
      const anchors = await this.store.anchorsAfter(previous.number, piece);
      let found: { readonly what: Break; readonly anchor: Anchor | null } | undefined;
      for (const anchor of anchors) {
        // It may have been made since.
        if (!keys.has(anchor.kid)) keys = await this.keys();
        const what = await this.fault(anchor, previous, keys, open.get(anchor.number));
        if (what !== undefined) {
          found = { what, anchor };
          break;
        }
        open.delete(anchor.number);
        [previous, newest] = [anchor, anchor];
        count += 1;
      }
      if (found === undefined && anchors.length === piece) continue;
      if (found === undefined && open.size === 0) return result(null);
      const { what, anchor } = found ?? { what: 'anchor-missing', anchor: null };
      const moved = what === 'anchor-missing' ? await this.floor(keys) : floor;
      if (moved.broken !== null) return result(moved.broken);
      if (moved.last.number <= previous.number) return result(brokenAt(what, anchor, previous));
      // Deleted meanwhile, by the retention: the rest is looked at from there.
      floor = moved;
      previous = floor.last;
    }
  }

  /** What is wrong with an anchor by itself, such as one that {@link all} has not looked at; null when nothing is. */
  async brokenAlone(anchor: Anchor): Promise<BrokenPlace | null> {
    return this.aloneWith(anchor, await this.keys());
  }

  private async aloneWith(anchor: Anchor, keys: Keys): Promise<BrokenPlace | null> {
    const what = await this.faultAlone(anchor, keys);
    return what === undefined ? null : brokenAt(what, anchor, anchor);
  }

  /** The last anchor that the retention has deleted, as the one that it wrote before says. */
  private async floor(
    keys: Keys,
  ): Promise<{ last: Pick<Anchor, 'number' | 'hash'>; broken: BrokenPlace | null }> {
    const floor = await this.store.lastAnchorOf('', 'floor');
    const last = { number: floor?.seq ?? 0, hash: floor?.chainHash ?? '' };
    // Whoever forges one gives it a number that is not looked at again.
    return { last, broken: floor === undefined ? null : await this.aloneWith(floor, keys) };
  }

  private async fault(
    anchor: Anchor,
    previous: Pick<Anchor, 'number' | 'hash'>,
    keys: Keys,
    expected: string | undefined,
  ): Promise<Break | undefined> {
    if (anchor.number !== previous.number + 1) return 'anchor-missing';
    const isInPlace =
      anchor.previousHash === previous.hash && (expected === undefined || expected === anchor.hash);
    return isInPlace ? this.faultAlone(anchor, keys) : 'anchor-changed';
  }

  private async faultAlone(anchor: Anchor, keys: Keys): Promise<Break | undefined> {
    if (anchor.hash !== hashOfAnchor(anchor)) return 'anchor-changed';
    return (await this.isSigned(anchor, keys)) ? undefined : 'anchor-not-signed';
  }

  private async isSigned(anchor: Anchor, keys: Keys): Promise<boolean> {
    const found = keys.get(anchor.kid);
    if (found === undefined) return false;
    if (isBehindRevocation(anchor, found.listed)) return false;
    const text = anchorText(anchor);
    if (anchor.seal !== (await sealOf(this.settings, text))) return false;
    const { protectedHeader, signature } = anchor;
    const payload = Buffer.from(text).toString('base64url');
    try {
      await flattenedVerify({ protected: protectedHeader, payload, signature }, await found.key);
      return true;
    } catch {
      return false;
    }
  }

  private async keys(): Promise<Keys> {
    const listed = await this.signing.list();
    return new Map(
      listed.map((each) => {
        const { kid, alg } = each.publicKey;
        const key = importJWK({ ...each.publicKey }, alg);
        // Whoever needs it finds out; others are not ended by it.
        key.catch(() => undefined);
        return [kid, { listed: each, key }] as const;
      }),
    );
  }
}

/** By the order of anchors, as clocks differ; only of a key that was revoked before that was kept by the time. */
function isBehindRevocation({ number, at }: Anchor, { revokedAt, revokedAfter }: ListedKey) {
  if (revokedAfter !== null) return number > revokedAfter;
  return revokedAt !== null && revokedAt <= at;
}

function brokenAt(
  what: Break,
  anchor: Anchor | null,
  previous: Pick<Anchor, 'number'>,
): BrokenPlace {
  const number = what === 'anchor-missing' || anchor === null ? previous.number + 1 : anchor.number;
  return { what, chain: null, seq: null, anchor: number };
}
