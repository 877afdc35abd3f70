import { Injectable } from '@nestjs/common';
import { Egress } from '../common/egress/egress.js';
import { HubError, invalidField } from '../common/hub-error.js';
import { GrpcAddress, PublicUrl } from '../config/index.js';
import { HubSettings } from '../database/hub-settings.js';
import type { AgentCard } from '../protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../protocol/routing-extension.js';
import type { Agent, AgentEndpoint, AgentPin, CardKeys, CardSignature } from './agent.js';
import { CardReader } from './card/card-reader.js';
import { CardTrust } from './card/card-trust.js';
import { chooseEndpoint, type InterfaceReport } from './card/choose-endpoint.js';
import { firstAllowed, grpcUrls, isGrpcScheme } from './card/grpc-url.js';
import { parseCard } from './card/parse-card.js';

/** Where an agent's card comes from: exactly one of `cardUrl` and `card`. */
export interface CardSource {
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
export interface Intake extends Pick<
  Agent,
  'card' | 'originalCard' | 'cardUrl' | 'endpoint' | 'signature'
> {
  readonly interfaces: readonly InterfaceReport[];
  /** False when the endpoint's host does not resolve now. */
  readonly verified: boolean;
}

/** Examines cards before they get into the registry. */
@Injectable()
export class AgentIntake {
  constructor(
    private readonly reader: CardReader,
    private readonly trust: CardTrust,
    private readonly egress: Egress,
    private readonly settings: HubSettings,
    private readonly publicUrl: PublicUrl,
    private readonly grpcAddress: GrpcAddress,
  ) {}

  /**
   * Reads and examines a card. Throws HubError naming the reason when the hub could never call the
   * agent, or does not trust its card: INVALID_PARAMS (no card, no interface it speaks, this hub
   * itself, a signature), AGENT_UNREACHABLE
   * (nothing at the card's address) or EGRESS_DENIED (a forbidden address).
   */
  async examine(source: CardSource): Promise<Intake> {
    const found = await this.read(source);
    await this.refuseItself(found.card);
    const endpointUrl = chooseEndpoint(found.card, source.pin).endpoint.url;
    const { cardKeys, signature: before } = source;
    const { card, signature } = await this.trust.accept(
      { ...found, endpointUrl },
      cardKeys,
      before,
    );
    const choice = chooseEndpoint(card, source.pin);
    const { endpoint, verified } = await this.endpointFor(choice.endpoint, source.endpointOverride);
    return { ...found, card, signature, endpoint, verified, interfaces: choice.interfaces };
  }

  /** The endpoint with the operator's URL in it, if there is one, after the checks of a URL. */
  async endpointFor(
    chosen: AgentEndpoint,
    override: string | null,
  ): Promise<{ endpoint: AgentEndpoint; verified: boolean }> {
    const endpoint = override === null ? chosen : { ...chosen, url: override };
    if (override !== null) {
      if (!URL.canParse(override))
        throw invalidField('endpointOverride', 'must be an absolute URL');
      if (isGrpcScheme(override) && chosen.protocolBinding !== 'GRPC') {
        throw invalidField(
          'endpointOverride',
          `is a gRPC address, but the hub calls ${chosen.protocolBinding}; pin protocolBinding to GRPC`,
        );
      }
      if (this.isOwn(override)) throw itself('endpointOverride');
    }
    try {
      return { endpoint, ...(await this.checked(endpoint)) };
    } catch (error) {
      if (!(error instanceof HubError) || error.reason !== 'EGRESS_DENIED') throw error;
      if (override !== null) throw withField(error, 'endpointOverride', error.message);
      const advice = `${error.message}; set endpointOverride to the address the hub can call, or allow it by egress.allow`;
      throw withField(error, 'card.supportedInterfaces', advice);
    }
  }

  private async checked(endpoint: AgentEndpoint): Promise<{ verified: boolean }> {
    const { protocolBinding, url } = endpoint;
    if (protocolBinding !== 'GRPC') return this.egress.check(url);
    return (await firstAllowed(grpcUrls(url), (one) => this.egress.check(one))).answer;
  }

  private async read(
    source: CardSource,
  ): Promise<Pick<Intake, 'card' | 'originalCard' | 'cardUrl'>> {
    if (source.card !== null) {
      const originalCard = JSON.stringify(source.card);
      return { card: parseCard(source.card), originalCard, cardUrl: null };
    }
    if (source.cardUrl === null) throw invalidField('cardUrl', 'give either cardUrl or card');
    if (!URL.canParse(source.cardUrl)) throw invalidField('cardUrl', 'must be an absolute URL');
    if (this.isOwn(source.cardUrl)) throw itself('cardUrl');
    const found = await this.reader.find(source.cardUrl, source.cardHeaders).catch((error) => {
      const denied = error instanceof HubError && error.reason === 'EGRESS_DENIED';
      throw denied ? withField(error, 'cardUrl', error.message) : error;
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

function itself(field: string): HubError {
  return invalidField(field, 'is this hub itself, which cannot be its own agent');
}

function withField(error: HubError, field: string, description: string): HubError {
  return new HubError(error.reason, description, {
    violations: [{ field, description }],
    cause: error,
  });
}

function isBelow(url: string, base: string): boolean {
  if (!URL.canParse(url)) return false;
  const [address, own] = [new URL(url), new URL(base)];
  const path = own.pathname.replace(/\/$/, '');
  const samePlace = address.protocol === own.protocol && hostOf(address) === hostOf(own);
  return samePlace && (address.pathname === path || address.pathname.startsWith(`${path}/`));
}

function isSameGrpcHost(url: string, own: string): boolean {
  const hosts = grpcUrls(own).map((one) => hostOf(new URL(one)));
  return grpcUrls(url).some((one) => hosts.includes(hostOf(new URL(one))));
}

/** Host and port, with all names of this machine as one. */
function hostOf(url: URL): string {
  const local = ['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]'].includes(url.hostname);
  return `${local ? 'localhost' : url.hostname}:${url.port}`;
}
