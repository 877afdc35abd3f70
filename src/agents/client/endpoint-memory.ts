import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { AppConfig } from '../../config/index.js';
import type { Agent, AgentEndpoint } from '../agent.js';
import { callableEndpoints, isFull } from '../endpoint/choose-endpoint.js';
import { bindingOf } from '../binding/bindings.js';
import type { FileForm } from '../binding/file-forms.js';

/** How long it is remembered that an agent speaks 0.3 only, and what its server is. */
const DOWNGRADE_KEPT_MS = 60 * 60 * 1000;

type Endpoints = readonly [AgentEndpoint, ...AgentEndpoint[]];

interface LearnedForm {
  readonly until: number;
  readonly card: string;
  readonly form: FileForm;
}

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
  /** Until when an interface, or a server with all of its interfaces, is passed over. */
  private readonly deadUntil = new Map<string, number>();
  private readonly downgrades = new Map<string, Downgrade>();
  private readonly fileForms = new Map<string, LearnedForm>();

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
    if (this.deadUntil.size === 0) return all;
    const dead = all.filter((one) => this.isDead(agent, one));
    const alive = all.filter((one) => !dead.includes(one));
    return [...alive, ...dead] as unknown as Endpoints;
  }

  /** What is called for one of {@link inOrder}: the same binding in 0.3, if it is known to speak that. */
  spoken(agent: Agent, endpoint: AgentEndpoint): AgentEndpoint {
    if (endpoint.protocolVersion !== '1.0' || this.downgrades.size === 0) return endpoint;
    const key = interfaceKey(agent, endpoint);
    const known = this.downgrades.get(key);
    if (known === undefined) return endpoint;
    if (known.until <= this.time() || known.card !== agent.originalCard) {
      this.downgrades.delete(key);
      return endpoint;
    }
    return this.older(agent, endpoint) ?? endpoint;
  }

  /** What the next call goes to first. */
  now(agent: Agent): AgentEndpoint {
    return this.spoken(agent, this.inOrder(agent)[0]);
  }

  /** There was no connection to the interface, or (`server`) to any at that server. */
  lost(agent: Agent, endpoint: AgentEndpoint, server?: string): void {
    const time = this.time();
    for (const [key, until] of this.deadUntil) if (until <= time) this.deadUntil.delete(key);
    const key = server === undefined ? interfaceKey(agent, endpoint) : serverKey(agent, endpoint);
    this.deadUntil.set(key, time + this.config.agents.interfaceRetryMs);
  }

  reached(agent: Agent, endpoint: AgentEndpoint): void {
    if (this.deadUntil.size === 0) return;
    this.deadUntil.delete(interfaceKey(agent, endpoint));
    this.deadUntil.delete(serverKey(agent, endpoint));
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

  /** Remembers that the agent speaks what {@link older} gives for this interface. */
  keepDowngraded(agent: Agent, endpoint: AgentEndpoint): void {
    const time = this.time();
    for (const [key, { until }] of this.downgrades) if (until <= time) this.downgrades.delete(key);
    this.downgrades.set(interfaceKey(agent, endpoint), {
      until: time + DOWNGRADE_KEPT_MS,
      card: agent.originalCard,
    });
  }

  forgetDowngraded(agent: Agent, endpoint: AgentEndpoint): void {
    this.downgrades.delete(interfaceKey(agent, endpoint));
  }

  /** How the server at this interface has the bytes of files, if it has been asked lately. */
  fileForm(agent: Agent, endpoint: AgentEndpoint): FileForm | undefined {
    const known = this.fileForms.get(interfaceKey(agent, endpoint));
    const holds = known?.card === agent.originalCard && known.until > this.time();
    return holds ? known.form : undefined;
  }

  keepFileForm(
    agent: Agent,
    endpoint: AgentEndpoint,
    form: FileForm,
    keptMs = DOWNGRADE_KEPT_MS,
  ): void {
    const time = this.time();
    for (const [key, { until }] of this.fileForms) if (until <= time) this.fileForms.delete(key);
    const learned = { until: time + keptMs, card: agent.originalCard, form };
    this.fileForms.set(interfaceKey(agent, endpoint), learned);
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
    const time = this.time();
    const keys = [interfaceKey(agent, endpoint), serverKey(agent, endpoint)];
    return keys.some((key) => (this.deadUntil.get(key) ?? 0) > time);
  }

  private time(): number {
    return this.clock.monotonicMs();
  }
}

/** An override and a full pin leave one; so does an endpoint that is none of the card's. */
function callableOf(agent: Agent): Endpoints {
  const { endpoint, endpointOverride, pin } = agent;
  if (endpointOverride !== null || isFull(pin)) return [endpoint];
  const endpoints = callableEndpoints(agent.card, agent);
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

/** Host and port, which is always written: interfaces that share them are at one server. */
export function serverOf({ protocolBinding, url }: AgentEndpoint): string {
  const called = bindingOf(protocolBinding).urls(url)[0] ?? url;
  const { protocol, hostname, port } = new URL(called);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

function serverKey(agent: Agent, endpoint: AgentEndpoint): string {
  return `${whoOf(agent)} ${serverOf(endpoint)}`;
}

/** With the address: another one may be another server. */
export function interfaceKey(agent: Agent, { protocolBinding, url }: AgentEndpoint): string {
  return `${whoOf(agent)} ${protocolBinding} ${url}`;
}

/** What an organization learns with credentials of its own may be due to those: it is for itself alone. */
function whoOf({ id, calledFor }: Agent): string {
  return calledFor === undefined ? id : `${id} ${JSON.stringify(calledFor)}`;
}
