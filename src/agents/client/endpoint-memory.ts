import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { AppConfig } from '../../config/index.js';
import type { Agent, AgentEndpoint } from '../agent.js';
import { callableEndpoints, isFull } from '../card/choose-endpoint.js';
import { grpcUrls } from '../card/grpc-url.js';

/** How long an agent that turned out to speak 0.3 only is called so at once. */
const DOWNGRADE_KEPT_MS = 60 * 60 * 1000;

type Endpoints = readonly [AgentEndpoint, ...AgentEndpoint[]];

interface Downgrade {
  readonly until: number;
  /** The card it was learned under: another one may mean another server. */
  readonly card: string;
}

/**
 * What this process has learned of its agents' interfaces: which cannot be connected to, for as long
 * as the configuration says, and which speak an older version than their card says, for an hour or
 * until the card changes.
 */
@Injectable()
export class EndpointMemory {
  /** By agent object: the registry makes a new one with every change. */
  private readonly callable = new WeakMap<Agent, Endpoints>();
  /** Until when the server behind an interface is passed over. */
  private readonly deadUntil = new Map<string, number>();
  private readonly downgrades = new Map<string, Downgrade>();

  constructor(
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /**
   * The agent's interfaces in the order they are to be tried: the best first, those that did not
   * answer lately last.
   */
  inOrder(agent: Agent): Endpoints {
    const all = this.callableOf(agent);
    if (this.deadUntil.size === 0 && this.downgrades.size === 0) return all;
    const dead = all.filter((one) => this.isDead(agent, one));
    const alive = all.filter((one) => !dead.includes(one));
    return [...alive, ...dead].map((one) => this.spoken(agent, one)) as unknown as Endpoints;
  }

  /** Nothing could be connected to. */
  lost(agent: Agent, endpoint: AgentEndpoint): void {
    const now = this.now();
    for (const [key, until] of this.deadUntil) if (until <= now) this.deadUntil.delete(key);
    this.deadUntil.set(serverKey(agent, endpoint), now + this.config.agents.interfaceRetryMs);
  }

  reached(agent: Agent, endpoint: AgentEndpoint): void {
    if (this.deadUntil.size > 0) this.deadUntil.delete(serverKey(agent, endpoint));
  }

  /**
   * The same binding in 0.3: as the card lists it, else at the same address. Undefined when the endpoint
   * is 0.3 already or the operator pinned the version.
   */
  older(agent: Agent, endpoint: AgentEndpoint): AgentEndpoint | undefined {
    if (endpoint.protocolVersion !== '1.0' || agent.pin.protocolVersion !== null) return undefined;
    const listed = this.callableOf(agent).find(
      (one) => one.protocolVersion === '0.3' && one.protocolBinding === endpoint.protocolBinding,
    );
    return listed ?? { ...endpoint, protocolVersion: '0.3', tenant: '' };
  }

  /** Remembers that the agent answered at `older`, what {@link older} gave. */
  keepDowngraded(agent: Agent, older: AgentEndpoint): void {
    const now = this.now();
    for (const [key, { until }] of this.downgrades) if (until <= now) this.downgrades.delete(key);
    this.downgrades.set(downgradeKey(agent, older), {
      until: now + DOWNGRADE_KEPT_MS,
      card: agent.originalCard,
    });
  }

  private spoken(agent: Agent, endpoint: AgentEndpoint): AgentEndpoint {
    if (endpoint.protocolVersion !== '1.0') return endpoint;
    const key = downgradeKey(agent, endpoint);
    const known = this.downgrades.get(key);
    if (known === undefined) return endpoint;
    if (known.until <= this.now() || known.card !== agent.originalCard) {
      this.downgrades.delete(key);
      return endpoint;
    }
    return this.older(agent, endpoint) ?? endpoint;
  }

  private callableOf(agent: Agent): Endpoints {
    let callable = this.callable.get(agent);
    if (callable === undefined) {
      callable = callableOf(agent);
      this.callable.set(agent, callable);
    }
    return callable;
  }

  private isDead(agent: Agent, endpoint: AgentEndpoint): boolean {
    const key = serverKey(agent, endpoint);
    const until = this.deadUntil.get(key);
    if (until === undefined) return false;
    if (until > this.now()) return true;
    this.deadUntil.delete(key);
    return false;
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

/** An override and a full pin leave one; so does an endpoint that is none of the card's. */
function callableOf(agent: Agent): Endpoints {
  const { endpoint, endpointOverride, pin } = agent;
  if (endpointOverride !== null || isFull(pin)) return [endpoint];
  const endpoints = callableEndpoints(agent.card, pin);
  const others = endpoints.filter((one) => !isSame(one, endpoint));
  return others.length === endpoints.length ? [endpoint] : [endpoint, ...others];
}

function isSame(a: AgentEndpoint, b: AgentEndpoint): boolean {
  return (
    a.url === b.url &&
    a.protocolBinding === b.protocolBinding &&
    a.protocolVersion === b.protocolVersion
  );
}

/** Host and port: interfaces that share them are reached or lost together. */
export function serverOf({ protocolBinding, url }: AgentEndpoint): string {
  return new URL(protocolBinding === 'GRPC' ? (grpcUrls(url)[0] ?? url) : url).host;
}

function serverKey(agent: Agent, endpoint: AgentEndpoint): string {
  return `${agent.id} ${serverOf(endpoint)}`;
}

function downgradeKey(agent: Agent, { protocolBinding }: AgentEndpoint): string {
  return `${agent.id} ${protocolBinding}`;
}
