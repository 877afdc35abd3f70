import { canonicalJson } from '../../common/canonical-json.js';
import { hashOfValue } from './audit-event.js';

/**
 * What an anchor says.
 * - `head`: the chain had this entry at this place, with this hash.
 * - `cut`: the entries up to this one have been kept for their time, and may be gone.
 * - `floor`: the anchors up to this number may be gone; `chain` is empty.
 */
export const ANCHOR_KINDS = ['head', 'cut', 'floor'] as const;
export type AnchorKind = (typeof ANCHOR_KINDS)[number];

/** What is signed: anchors are a chain of their own, over all processes. */
export interface AnchorContent {
  /** 1, 2, 3 … */
  readonly number: number;
  readonly at: Date;
  readonly kind: AnchorKind;
  readonly chain: string;
  readonly seq: number;
  /** The hash of that entry, or of that anchor. */
  readonly chainHash: string;
  /** The hash of the anchor before it; empty for the first. */
  readonly previousHash: string;
}

/** A signed statement about a chain. */
export interface Anchor extends AnchorContent {
  /** SHA-256, in hexadecimal, of the canonical JSON of its content. */
  readonly hash: string;
  /** The hub's key that signed it. */
  readonly kid: string;
  /** The protected header of its signature (RFC 7515 §7.2.2), base64url; the payload is the canonical JSON of its content. */
  readonly protectedHeader: string;
  /** base64url. */
  readonly signature: string;
  /** Keyed by a secret that is encrypted in the database: a key added to the database does not make it. */
  readonly seal: string;
}

/** What is signed of an anchor, and nothing else of it. */
export function contentOf(anchor: AnchorContent): AnchorContent {
  const { number, at, kind, chain, seq, chainHash, previousHash } = anchor;
  return { number, at, kind, chain, seq, chainHash, previousHash };
}

/** The bytes that are signed. */
export function anchorText(anchor: AnchorContent): string {
  return canonicalJson(contentOf(anchor));
}

export function hashOfAnchor(anchor: AnchorContent): string {
  return hashOfValue(contentOf(anchor));
}
