import { Injectable } from '@nestjs/common';
import { Egress } from '../../common/egress/egress.js';
import { HubError, invalidField } from '../../common/hub-error.js';
import { GrpcAddress, isBelow, isSameHost, PublicUrl } from '../../config/index.js';
import { HubSettings } from '../../database/hub-settings.js';
import type { AgentCard } from '../../protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import type {
  Agent,
  AgentEndpoint,
  AgentPin,
  CardKeys,
  CardSignature,
  RefusedInterface,
} from '../agent.js';
import { checkCardText } from '../card/card-limits.js';
import { RevealedSecrets } from '../client/authentication/revealed-secrets.js';
import { CardReader } from '../card/card-reader.js';
import { CardTrust } from '../card/card-trust.js';
import {
  callableEndpoints,
  called,
  chooseEndpoint,
  type InterfaceReport,
} from '../endpoint/choose-endpoint.js';
import type { GivenCredentials } from '../endpoint/credential-origins.js';
import { BINDINGS, bindingOf } from '../binding/bindings.js';
import { Locked } from '../endpoint/sealed-json.js';
import { grpcUrls } from '../binding/grpc-url.js';
import { refuseOldWire, unlessOld } from '../card/old-wire.js';
import { parseCard } from '../card/parse-card.js';
import { isUrl } from '../../common/is-url.js';

/** Where an agent's card comes from: exactly one of `cardUrl` and `card`. */
export interface CardSource extends GivenCredentials {
  readonly cardUrl: string | null;
  /** The card itself, of any version. */
  readonly card: Readonly<Record<string, unknown>> | null;
  readonly cardHeaders: Readonly<Record<string, string>>;
  readonly cardKeys: CardKeys | null;
  /** Of the card that this one is to replace. */
  readonly signature?: CardSignature;
  readonly endpointOverride: string | null;
  readonly pin: AgentPin;
}

/** A card that the hub can work with, and what it will call. */
export interface CheckedCard extends Pick<
  Agent,
  'card' | 'originalCard' | 'cardUrl' | 'endpoint' | 'refused' | 'signature'
> {
  readonly interfaces: readonly InterfaceReport[];
  /** False when the endpoint's host does not resolve now. */
  readonly endpointResolves: boolean;
}

/** Whether the addresses an agent may be called at can be. */
export interface Reach {
  readonly refused: readonly RefusedInterface[];
  /** The URLs whose hosts do not resolve now. */
  readonly unresolved: ReadonlySet<string>;
}

/** What the egress guard says of one interface. */
interface Look {
  readonly url: string;
  readonly unresolved: boolean;
  readonly refusal?: RefusedInterface;
}

/** Examines cards before they get into the registry. */
@Injectable()
export class RegistrationCheck {
  constructor(
    private readonly reader: CardReader,
    private readonly trust: CardTrust,
    private readonly egress: Egress,
    private readonly settings: HubSettings,
    private readonly publicUrl: PublicUrl,
    private readonly grpcAddress: GrpcAddress,
    private readonly secrets: RevealedSecrets,
  ) {}

  /**
   * Reads and examines a card. Throws HubError naming the reason when the hub could never call the
   * agent, or does not trust its card: INVALID_PARAMS (no card, no interface it speaks, this hub
   * itself, a signature, a protocol from before 0.2), AGENT_UNREACHABLE
   * (nothing at the card's address) or EGRESS_DENIED (a forbidden address).
   */
  async examine(source: CardSource): Promise<CheckedCard> {
    const found = await this.read(source);
    await this.refuseItself(found.card);
    if (source.pin.protocolVersion === null) refuseOldWire(JSON.parse(found.originalCard));
    const { cardKeys, signature: before, pin, endpointOverride } = source;
    const endpointUrl = chooseEndpoint(found.card, { pin }).endpoint.url;
    const { card, signature } = await this.trust.accept(
      { ...found, endpointUrl },
      cardKeys,
      before,
    );
    const { refused, unresolved } = await this.reach({ card, pin, endpointOverride });
    const choice = chooseEndpoint(card, { ...source, refused });
    const endpoint = called(choice.endpoint, endpointOverride);
    const endpointResolves = !unresolved.has(endpoint.url);
    return {
      ...found,
      card,
      signature,
      endpoint,
      refused,
      endpointResolves,
      interfaces: choice.interfaces,
    };
  }

  /**
   * Checks the operator's URL if there is one, else every interface of the card that the hub speaks,
   * whatever its pin, which may change. Throws HubError when that leaves nothing to call.
   */
  async reach(agent: Pick<Agent, 'card' | 'pin' | 'endpointOverride'>): Promise<Reach> {
    const { card, pin, endpointOverride } = agent;
    if (endpointOverride !== null) {
      return this.reachOverride(called(chooseEndpoint(card, { pin }).endpoint, endpointOverride));
    }
    const looks = await Promise.all(callableEndpoints(card).map((one) => this.look(one)));
    const refused = looks.flatMap(({ refusal }) => refusal ?? []);
    const unresolved = new Set(looks.flatMap((one) => (one.unresolved ? [one.url] : [])));
    if (callableEndpoints(card, { pin, refused }).length === 0) {
      // Without the refusals this throws when the reason is another.
      const { url } = chooseEndpoint(card, { pin }).endpoint;
      const reason = refused.find((one) => one.url === url)?.reason ?? '';
      const advice = `${reason}; set endpointOverride to the address the hub can call, or allow it by egress.allow`;
      throw denied('card.supportedInterfaces', advice);
    }
    return { refused, unresolved };
  }

  /** Checks the address that tokens for an agent are got from. Throws HubError EGRESS_DENIED. */
  async reachTokenServer(authentication: Agent['authentication']): Promise<void> {
    if (authentication === null || authentication instanceof Locked) return;
    for (const field of ['tokenUrl', 'issuer'] as const) {
      const url = authentication[field];
      if (url === undefined) continue;
      await this.egress.check(url).catch((error: unknown) => {
        throw isDenied(error) ? denied(`authentication.${field}`, error.message, error) : error;
      });
    }
  }

  private async look(endpoint: AgentEndpoint): Promise<Look> {
    const { url, protocolBinding } = endpoint;
    try {
      return { url, unresolved: !(await this.checked(endpoint)).verified };
    } catch (error) {
      if (!isDenied(error)) throw error;
      return { url, unresolved: false, refusal: { url, protocolBinding, reason: error.message } };
    }
  }

  private async reachOverride(endpoint: AgentEndpoint): Promise<Reach> {
    const { url, protocolBinding } = endpoint;
    const field = 'endpointOverride';
    if (!isUrl(url)) throw invalidField(field, 'must be an absolute URL');
    const other = BINDINGS.find((each) => each.ownsScheme(url));
    if (other !== undefined && other.name !== protocolBinding) {
      throw invalidField(
        field,
        `is an address of ${other.name}, but the hub calls ${protocolBinding}; pin protocolBinding to ${other.name}`,
      );
    }
    if (this.isOwn(url)) throw itself(field);
    try {
      const { verified } = await this.checked(endpoint);
      return { refused: [], unresolved: new Set(verified ? [] : [url]) };
    } catch (error) {
      throw isDenied(error) ? closed(field, error) : error;
    }
  }

  private async checked(endpoint: AgentEndpoint): Promise<{ verified: boolean }> {
    return bindingOf(endpoint.protocolBinding).check(this.egress, endpoint.url);
  }

  private async read(
    source: CardSource,
  ): Promise<Pick<CheckedCard, 'card' | 'originalCard' | 'cardUrl'>> {
    if (source.card !== null) {
      const originalCard = JSON.stringify(source.card);
      checkCardText(originalCard);
      return { card: unlessOld(source.card, parseCard), originalCard, cardUrl: null };
    }
    if (source.cardUrl === null) throw invalidField('cardUrl', 'must be given, or card');
    if (!isUrl(source.cardUrl)) throw invalidField('cardUrl', 'must be an absolute URL');
    if (this.isOwn(source.cardUrl)) throw itself('cardUrl');
    const { cardUrl, cardHeaders, authentication = null } = source;
    const tls = await this.secrets.tlsFor(cardUrl, authentication);
    const found = await this.reader.find(cardUrl, cardHeaders, tls).catch((error) => {
      throw isDenied(error) ? closed('cardUrl', error) : error;
    });
    return { card: found.card, originalCard: found.original, cardUrl: found.address };
  }

  /** An agent that is this hub would send every message round in circles. */
  private async refuseItself(card: AgentCard): Promise<void> {
    const instanceId = await this.settings.instanceId();
    const routing = card.capabilities?.extensions.find((one) => one.uri === ROUTING_EXTENSION_URI);
    if (Object.values(routing?.params ?? {}).includes(instanceId)) throw itself('card');
    if (card.supportedInterfaces.some(({ url }) => this.isOwn(url))) throw itself('card');
  }

  private isOwn(url: string): boolean {
    const { target, listening } = this.grpcAddress;
    return (
      [this.publicUrl.base, this.publicUrl.listening].some((base) => isBelow(url, base)) ||
      [target, listening].some((own) => own !== undefined && isSameGrpcHost(url, own))
    );
  }
}

function isDenied(error: unknown): error is HubError {
  return error instanceof HubError && error.reason === 'EGRESS_DENIED';
}

function itself(field: string): HubError {
  return invalidField(field, 'is this hub itself, which cannot be its own agent');
}

const OPENED_BY = 'egress.allow opens what agents may be at besides public https';

/** An address that an operator may open. */
function closed(field: string, refusal: HubError): HubError {
  return denied(field, `${refusal.message} (${OPENED_BY})`, refusal);
}

function denied(field: string, description: string, cause?: HubError): HubError {
  return new HubError('EGRESS_DENIED', description, {
    violations: [{ field, description }],
    cause,
  });
}

function isSameGrpcHost(url: string, own: string): boolean {
  const hosts = grpcUrls(own).map((one) => new URL(one));
  return grpcUrls(url).some((one) => hosts.some((host) => isSameHost(new URL(one), host)));
}
