import { Injectable } from '@nestjs/common';
import { type Agent, AgentRegistry } from '../../agents/index.js';
import { AccessTokens, ClientCertificates, type Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { etagOf } from '../../common/http/public-document.js';
import { Log } from '../../common/logger.js';
import { longTurn } from '../../common/long-work.js';
import { AppConfig, GrpcAddress, PublicUrl } from '../../config/index.js';
import { HubSettings } from '../../database/hub-settings.js';
import { prepareAll } from '../../policies/index.js';
import type { AgentCard } from '../../protocol/a2a.js';
import {
  type CompositeSkill,
  CompositeSource,
  offeredComposites,
  prepareUsable,
} from '../../routing/index.js';
import { type Capabilities, capabilitiesOf } from '../capabilities.js';
import { type CardForm, renderCard } from './card-forms.js';
import { CardSigner } from './card-signer.js';
import { type HubFacts, composeAgentCard, composeHubCard } from './compose-cards.js';

/** A card in one form, with its signatures. */
interface MadeCard {
  readonly card: AgentCard;
  readonly body: string;
  /** Weak: signatures of the same card are not the same in every process. */
  readonly etag: string;
  readonly lastModified: Date;
}

/** What cards are signed with; undefined while they are not. */
type CardKey = Awaited<ReturnType<CardSigner['signer']>>;

export type ServedCard = Omit<MadeCard, 'card'>;

/** A card with so many is written in a turn of its own: those that many callers ask for at once are no long stop. */
const MANY_SKILLS = 100;

/** Public cards show what anybody may know: agents that are limited to some organizations are left out. */
const PUBLIC: Principal = { id: 'anonymous', organization: '', scopes: new Set() };

/**
 * The hub's card and those of its agents. Each is made once for those who may use the same agents and
 * composite skills, and again when these, the hub's addresses or its key change.
 */
@Injectable()
export class CardService {
  /** What the bindings serve and cards declare. */
  readonly capabilities: Capabilities;
  /** Made cards by the agent, or what of the hub, they show. */
  private readonly made = new WeakMap<object, Map<string, Promise<MadeCard>>>();

  /** One object for each two lists that a card of the hub shows. */
  private readonly shown = new WeakMap<
    readonly Agent[],
    WeakMap<readonly CompositeSkill[], object>
  >();

  constructor(
    private readonly registry: AgentRegistry,
    private readonly composites: CompositeSource,
    private readonly settings: HubSettings,
    private readonly config: AppConfig,
    private readonly publicUrl: PublicUrl,
    private readonly grpc: GrpcAddress,
    private readonly signer: CardSigner,
    private readonly tokens: AccessTokens,
    private readonly certificates: ClientCertificates,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.capabilities = capabilitiesOf(config);
  }

  /** The hub's own card, as everybody may see it. */
  hubCard(form: CardForm): Promise<ServedCard> {
    return this.ofHub(PUBLIC, form);
  }

  /** The card of one agent behind the hub; undefined when there is none that everybody can use. */
  async agentCard(agentId: string, form: CardForm): Promise<ServedCard | undefined> {
    await prepareAll(() => this.registry.prepare(PUBLIC));
    const agent = this.usable(PUBLIC, agentId);
    return agent && this.ofAgent(agent, form);
  }

  /**
   * The card for this caller alone, with signatures that hold in this form: the hub's, with the skills
   * it may use, or that of one agent. Rejects with NO_ROUTE for an agent it may not use, whether there is
   * one or not.
   */
  async extendedCard(
    principal: Principal,
    agentId: string | undefined,
    form: CardForm,
  ): Promise<AgentCard> {
    if (agentId === undefined) {
      const { card } = await this.ofHub(principal, form);
      if (card.skills.length >= MANY_SKILLS) await longTurn();
      return card;
    }
    await prepareAll(() => this.registry.prepare(principal));
    const agent = this.usable(principal, agentId);
    if (!agent) throw new HubError('NO_ROUTE', `No agent "${agentId}" is registered and enabled.`);
    return (await this.ofAgent(agent, form)).card;
  }

  private usable(principal: Principal, agentId: string): Agent | undefined {
    return this.registry.usable(principal).find(({ id }) => id === agentId);
  }

  private async ofHub(principal: Principal, form: CardForm): Promise<MadeCard> {
    await prepareUsable(principal, this.registry, this.composites);
    const agents = this.registry.usable(principal);
    const composites = offeredComposites(this.composites.usable(principal), agents);
    let ofAgents = this.shown.get(agents);
    if (!ofAgents) this.shown.set(agents, (ofAgents = new WeakMap()));
    const shown = ofAgents.get(composites) ?? {};
    ofAgents.set(composites, shown);
    const compose = (hub: HubFacts, left: readonly Agent[] = agents): AgentCard =>
      composeHubCard(left, hub, composites);
    return this.once(shown, form, async (hub, signer) => {
      await longTurn();
      try {
        return await this.make(compose(hub), form, signer);
      } catch (error) {
        // One agent must not take the card of all away.
        const sound = await this.soundOf(agents, hub, form, signer);
        if (sound.length === agents.length) throw error;
        return this.make(compose(hub, sound), form, signer);
      }
    });
  }

  /** The agents that a card of the hub can be made of; each of the others is logged. */
  private async soundOf(
    agents: readonly Agent[],
    hub: HubFacts,
    form: CardForm,
    signer: CardKey,
  ): Promise<readonly Agent[]> {
    const sound: Agent[] = [];
    for (const agent of agents) {
      try {
        await this.make(composeHubCard([agent], hub), form, signer);
        sound.push(agent);
      } catch (error) {
        this.log.error(
          { err: error, agent: agent.id },
          'an agent is left out of the hub card: its own card cannot be published',
        );
      }
    }
    return sound;
  }

  private ofAgent(agent: Agent, form: CardForm): Promise<MadeCard> {
    return this.once(agent, form, (hub, signer) =>
      this.make(composeAgentCard(agent, hub), form, signer),
    );
  }

  private async once(
    shown: object,
    form: CardForm,
    make: (hub: HubFacts, signer: CardKey) => Promise<MadeCard>,
  ): Promise<MadeCard> {
    const [hub, signer] = await Promise.all([this.facts(), this.signer.signer()]);
    const key = [form, signer?.kid, hub.publicUrl, hub.grpc?.target].join(' ');
    const cards = this.made.get(shown) ?? new Map<string, Promise<MadeCard>>();
    this.made.set(shown, cards);
    const known = cards.get(key);
    if (known) return known;
    // Those of an earlier key are not needed any more.
    for (const old of cards.keys()) if (old.startsWith(`${form} `)) cards.delete(old);
    const made = make(hub, signer);
    cards.set(key, made);
    made.catch(() => cards.delete(key));
    return made;
  }

  private async make(composed: AgentCard, form: CardForm, signer: CardKey): Promise<MadeCard> {
    const hasMany = composed.skills.length >= MANY_SKILLS;
    const bare = renderCard({ ...composed, signatures: [] }, form);
    if (hasMany) await longTurn();
    const card = await this.signer.signed(composed, form, signer);
    if (hasMany) await longTurn();
    return {
      card,
      body: renderCard(card, form),
      etag: etagOf(`${signer?.kid} ${bare}`, signer ? 'weak' : 'strong'),
      lastModified: this.clock.now(),
    };
  }

  private async facts(): Promise<HubFacts> {
    const { config, publicUrl, grpc } = this;
    const { target, secure } = grpc;
    return {
      config,
      publicUrl: publicUrl.base,
      grpc: target === undefined ? undefined : { target, secure },
      issuers: this.tokens.issuers,
      takesCertificates: this.certificates.areTaken,
      instanceId: await this.settings.instanceId(),
    };
  }
}
