import { Injectable } from '@nestjs/common';
import { AppConfig, PublicUrl } from '../../config/index.js';
import type { AgentCard } from '../../protocol/a2a.js';
import { JWKS_PATH, type Signer, SigningService } from '../../signing/index.js';
import { type CardForm, cardJson } from './card-forms.js';
import { signedTexts } from './card-payloads.js';

/** Signs cards with the hub's key, unless `card.sign` is off (A2A §8.4). */
@Injectable()
export class CardSigner {
  constructor(
    private readonly signing: SigningService,
    private readonly config: AppConfig,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** The key that signs now; undefined when cards are not signed. */
  async signer(): Promise<Signer | undefined> {
    return this.config.card.sign ? this.signing.signer() : undefined;
  }

  /** The card with signatures of the hub alone, which hold in this form. */
  async signed(card: AgentCard, form: CardForm, signer: Signer | undefined): Promise<AgentCard> {
    const bare = { ...card, signatures: [] };
    if (!signer) return bare;
    const header = { typ: 'JOSE', jku: this.publicUrl.base + JWKS_PATH };
    const texts = signedTexts(cardJson(bare, form), form);
    const signatures = await Promise.all(
      texts.map(async (text) => ({ ...(await signer.sign(text, header)), header: undefined })),
    );
    return { ...bare, signatures };
  }
}
