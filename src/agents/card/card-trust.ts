import { Injectable } from '@nestjs/common';
import { invalidField } from '../../common/hub-error.js';
import { AppConfig } from '../../config/index.js';
import type { AgentCard } from '../../protocol/a2a.js';
import type { Agent, CardKeys, CardSignature } from '../agent.js';
import type { Json } from './card-fields.js';
import { CardVerifier, originOf } from './card-verifier.js';
import { parseCard } from './parse-card.js';

/** A card that was read, and where it says it is from. */
export interface ReadCard extends Pick<Agent, 'card' | 'originalCard' | 'cardUrl'> {
  /** What the hub would call. */
  readonly endpointUrl: string;
}

export interface TrustedCard {
  /** Of a verified card only what the signature covers. */
  readonly card: AgentCard;
  readonly signature: CardSignature;
}

const UNCHECKED: CardSignature = {
  outcome: 'unchecked',
  keyId: null,
  algorithm: null,
  keySource: null,
  keyThumbprint: null,
  wasVerified: false,
  reason: 'Signatures are not looked at (agents.cardSignatures is off).',
};

/** Decides which cards the hub takes by their signatures: `agents.cardSignatures`. */
@Injectable()
export class CardTrust {
  constructor(
    private readonly verifier: CardVerifier,
    private readonly config: AppConfig,
  ) {}

  /**
   * The card as the hub may use it. Throws HubError INVALID_PARAMS for one whose signature is invalid,
   * and for one that does not verify where that is needed: with `require`, with keys pinned for the
   * agent, and in place of a card (`before`) that did.
   */
  async accept(
    found: ReadCard,
    cardKeys: CardKeys | null,
    before?: CardSignature,
  ): Promise<TrustedCard> {
    const trusted = await this.judge(found, cardKeys);
    const { outcome, reason } = trusted.signature;
    if (outcome === 'unchecked' || outcome === 'verified') return trusted;
    const needed = this.whyNeeded(cardKeys, before);
    if (outcome !== 'invalid' && needed === undefined) return trusted;
    const rule = needed === undefined ? '' : ` ${needed}`;
    throw invalidField('card.signatures', `leave the card ${outcome}: ${reason}${rule}`);
  }

  /** What is known of the card's signature, whether the hub would take the card or not. */
  async judge(found: ReadCard, cardKeys: CardKeys | null): Promise<TrustedCard> {
    const { card, originalCard, cardUrl, endpointUrl } = found;
    if (this.config.agents.cardSignatures === 'off') return { card, signature: UNCHECKED };
    const document = JSON.parse(originalCard) as Json;
    const origin = originOf(cardUrl ?? endpointUrl);
    const { signature, covered } = await this.verifier.check(document, { origin, cardKeys });
    if (covered === undefined) return { card, signature };
    return { card: parseCard({ ...covered, signatures: document['signatures'] }), signature };
  }

  private whyNeeded(cardKeys: CardKeys | null, before?: CardSignature): string | undefined {
    if (this.config.agents.cardSignatures === 'require') {
      return 'The hub takes verified cards only.';
    }
    if (cardKeys !== null) return 'Keys are pinned for this agent.';
    if (before?.wasVerified) return 'The card before it was verified, and stays in use.';
    return undefined;
  }
}
