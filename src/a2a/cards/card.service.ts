import { createHash } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AgentRegistry } from '../../agents/index.js';
import type { Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { AppConfig, PublicUrl } from '../../config/index.js';
import { HubSettings } from '../../database/hub-settings.js';
import type { AgentCard } from '../../protocol/a2a.js';
import { type CardForm, renderCard } from './card-forms.js';
import { type HubFacts, composeAgentCard, composeHubCard } from './compose-cards.js';

/** A card ready to be sent. */
export interface ServedCard {
  readonly body: string;
  /** Strong, of the body. */
  readonly etag: string;
  readonly lastModified: Date;
}

/** Cards are public: they show what anybody may know. */
const PUBLIC: Principal = { id: 'anonymous', organization: '', scopes: new Set() };
/** Cards of single agents that are kept rendered. */
const MAX_KEPT = 1000;

/** The hub's card and those of its agents; made once for each state of the registry. */
@Injectable()
export class CardService implements OnModuleDestroy {
  private readonly kept = new Map<string, ServedCard>();
  private readonly forget: () => void;

  constructor(
    private readonly registry: AgentRegistry,
    private readonly settings: HubSettings,
    private readonly config: AppConfig,
    private readonly publicUrl: PublicUrl,
    private readonly clock: Clock,
  ) {
    this.forget = registry.onChange(() => this.kept.clear());
  }

  onModuleDestroy(): void {
    this.forget();
  }

  /** The hub's own card. */
  async hubCard(form: CardForm): Promise<ServedCard> {
    const hub = await this.facts();
    return this.served(`hub ${form}`, form, () =>
      composeHubCard(this.registry.usable(PUBLIC), hub),
    );
  }

  /** The card of one agent behind the hub; undefined when there is none that can be used. */
  async agentCard(agentId: string, form: CardForm): Promise<ServedCard | undefined> {
    const hub = await this.facts();
    const agent = this.registry.usable(PUBLIC).find(({ id }) => id === agentId);
    return (
      agent && this.served(`agent ${form} ${agentId}`, form, () => composeAgentCard(agent, hub))
    );
  }

  private async facts(): Promise<HubFacts> {
    const { config, publicUrl } = this;
    return { config, publicUrl: publicUrl.base, instanceId: await this.settings.instanceId() };
  }

  /** Without a pause between reading the registry and keeping the card: a change forgets it. */
  private served(key: string, form: CardForm, compose: () => AgentCard): ServedCard {
    const known = this.kept.get(key);
    if (known) return known;
    const body = renderCard(compose(), form);
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
    const served = { body, etag, lastModified: this.clock.now() };
    if (this.kept.size >= MAX_KEPT) this.kept.clear();
    this.kept.set(key, served);
    return served;
  }
}
