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

  /** All of them, the first broken place and the newest anchor. `expected` are anchors that were there. */
  async all(
    piece: number,
    expected: readonly Expected[],
  ): Promise<{ count: number; newest: Anchor | null; broken: BrokenPlace | null }> {
    const keys = await this.keys();
    let previous = await this.floor();
    const open = new Map(expected.flatMap((each) => (each ? [[each.number, each.hash]] : [])));
    let count = 0;
    let newest: Anchor | null = null;
    for (;;) {
      await longTurn();
      for (const number of open.keys()) if (number <= previous.number) open.delete(number);
      const anchors = await this.store.anchorsAfter(previous.number, piece);
      let found: { readonly what: Break; readonly anchor: Anchor | null } | undefined;
      for (const anchor of anchors) {
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
      if (found === undefined && open.size === 0) return { count, newest, broken: null };
      const { what, anchor } = found ?? { what: 'anchor-missing', anchor: null };
      const floor = what === 'anchor-missing' ? await this.floor() : previous;
      if (floor.number <= previous.number)
        return { count, newest, broken: brokenAt(what, anchor, previous) };
      // Deleted meanwhile, by the retention: the rest is looked at from there.
      previous = floor;
    }
  }

  /** The last anchor that the retention has deleted, as the one that it wrote before says. */
  private async floor(): Promise<Pick<Anchor, 'number' | 'hash'>> {
    const floor = await this.store.lastAnchorOf('', 'floor');
    return { number: floor?.seq ?? 0, hash: floor?.chainHash ?? '' };
  }

  private async fault(
    anchor: Anchor,
    previous: Pick<Anchor, 'number' | 'hash'>,
    keys: Keys,
    expected: string | undefined,
  ): Promise<Break | undefined> {
    if (anchor.number !== previous.number + 1) return 'anchor-missing';
    const isAsWritten =
      anchor.hash === hashOfAnchor(anchor) &&
      anchor.previousHash === previous.hash &&
      (expected === undefined || expected === anchor.hash);
    if (!isAsWritten) return 'anchor-changed';
    return (await this.isSigned(anchor, keys)) ? undefined : 'anchor-not-signed';
  }

  private async isSigned(anchor: Anchor, keys: Keys): Promise<boolean> {
    const found = keys.get(anchor.kid);
    if (found === undefined) return false;
    const { revokedAt } = found.listed;
    if (revokedAt !== null && revokedAt <= anchor.at) return false;
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

function brokenAt(
  what: Break,
  anchor: Anchor | null,
  previous: Pick<Anchor, 'number'>,
): BrokenPlace {
  const number = what === 'anchor-missing' || anchor === null ? previous.number + 1 : anchor.number;
  return { what, chain: null, seq: null, anchor: number };
}
