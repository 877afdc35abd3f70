import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { PresentCallers, type Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { issueCursor, readCursor } from '../../common/cursor.js';
import { HubError, invalidField, whyOf } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';
import type { Page } from '../../common/page.js';
import type { Agent, AgentBudgets, AgentEndpoint, PreviousCard } from '../agent.js';
import { RegistrationCheck, type CheckedCard, type Reach } from './registration-check.js';
import {
  type AgentOptions,
  type AgentPatch,
  capacityAfter,
  credentialsAfter,
  DEFAULT_CAPACITY,
  distinct,
  endpointOf,
  entries,
  moved,
  namesOf,
  patched,
  pinned,
  switched,
  type WrittenSwitches,
} from './agent-patch.js';
import { AgentProbe, type ProbeReport, type ProbeOptions } from '../check/agent-probe.js';
import { adjustedBy, refusedBy } from '../card/card-trouble.js';
import { AgentRegistry } from '../registry/agent-registry.js';
import { type WrittenMeans, agentOf, checkCarried, readMeans } from './agent-source.js';
import { type AgentFilter, AgentStore } from '../registry/agent-store.js';
import { idFromName, isAgentId } from '../card/agent-id.js';
import { type CardChange, diffCards } from '../card/card-diff.js';
import { readCardKeys } from '../card/card-keys.js';
import { CardTrust } from '../card/card-trust.js';
import { chooseEndpoint } from '../endpoint/choose-endpoint.js';
import { checkSize } from '../endpoint/agent-headers.js';
import {
  notFound,
  refuseCallersToken,
  refuseDeclared,
  refused,
  refuseUnusable,
  taken,
  unreadYet,
  wrongId,
} from './agent-refusals.js';
import { administers, organizationOfAgents, refuseOthers } from '../registry/administered.js';
import { granteeOf, Referable } from './referable.js';
import { readAuthentication, refuseTwice } from './read-authentication.js';
import { UnreadAgents, withUnread } from './unread-agents.js';

/** An agent to be registered, by exactly one of `cardUrl` and `card`. Null says the same as nothing. */
export interface NewAgent extends AgentOptions, WrittenMeans, ProbeOptions {
  /** Default: derived from the card's name. */
  readonly id?: string | null | undefined;
  readonly cardUrl?: string | undefined;
  readonly card?: Readonly<Record<string, unknown>> | undefined;
  readonly endpointOverride?: string | undefined;
  /** The binding to call; default: the hub's choice among the card's. */
  readonly protocolBinding?: AgentEndpoint['protocolBinding'] | undefined;
  /** The protocol version to speak; default: the hub's choice among the card's. */
  readonly protocolVersion?: AgentEndpoint['protocolVersion'] | undefined;
  readonly budgets?: Readonly<Partial<Record<keyof AgentBudgets, number | null>>> | undefined;
  readonly switches?: WrittenSwitches | undefined;
}

/** A new agent and what was found out about it. */
export interface Registration {
  readonly agent: Agent;
  readonly checked: Pick<CheckedCard, 'interfaces' | 'endpointResolves'>;
  /** Null: no probe was requested. */
  readonly probe: ProbeReport | null;
}

export interface Refreshed {
  readonly agent: Agent;
  readonly changes: readonly CardChange[];
}

/** The card of an agent and what is different in it from the one before. */
export interface AgentCards {
  readonly agent: Agent;
  readonly previous: PreviousCard | null;
  readonly changes: readonly CardChange[];
}

/** Stands for the id of an agent that is not registered. */
const UNNAMED = 'unnamed';

/** Who administers the agents of one organization registers them for that. */
function forOwn(request: NewAgent, caller: Principal): NewAgent {
  refuseOthers(caller, request.organizations);
  const own = organizationOfAgents(caller);
  return own === null ? request : { ...request, organizations: [own] };
}

/** The registry's operations. Every change is in {@link AgentRegistry} when its call resolves, or as soon as the database answers again. */
@Injectable()
export class AgentsService {
  constructor(
    private readonly store: AgentStore,
    private readonly registry: AgentRegistry,
    private readonly registration: RegistrationCheck,
    private readonly trust: CardTrust,
    private readonly probe: AgentProbe,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly unread: UnreadAgents,
    private readonly referable: Referable,
    private readonly present: PresentCallers,
  ) {}

  /**
   * Registers an agent; see {@link RegistrationCheck.examine} for what is refused. A requested probe
   * comes first: its failure changes nothing, but an agent that shows a protocol from before A2A 0.2 is refused. Who
   * administers the agents of one organization registers agents for that alone. UNAUTHENTICATED when the caller is not valid
   * any more by then.
   */
  async register(written: NewAgent, caller: Principal): Promise<Registration> {
    const request = forOwn(written, caller);
    const wanted = request.id ?? undefined;
    if (wanted !== undefined) await this.checkId(wanted);
    const { agent, checked } = await this.examined(request, caller);
    const probe = await this.probe.of(agent, request);
    if (probe?.oldWire) {
      throw invalidField(request.card ? 'card' : 'cardUrl', refused(probe.oldWire));
    }
    const added = await this.add(agent, wanted, caller);
    await this.registry.follow();
    return { agent: added, checked, probe };
  }

  /** Reports what {@link register} would do and find out, with the result of a requested probe; registers nothing. */
  async check(written: NewAgent, caller: Principal): Promise<Registration> {
    const request = forOwn(written, caller);
    const wanted = request.id ?? undefined;
    if (wanted !== undefined && !isAgentId(wanted)) throw wrongId();
    const { agent: described, checked } = await this.examined(request, caller);
    const agent = { ...described, id: wanted ?? UNNAMED };
    return { agent, checked, probe: await this.probe.of(agent, request) };
  }

  /** The agent that a request describes, with what its card says now. */
  private async examined(
    request: NewAgent,
    caller: Principal,
  ): Promise<{ readonly agent: Omit<Agent, 'id'>; readonly checked: CheckedCard }> {
    const { cardUrl = null, card = null, endpointOverride = null } = request;
    if ((cardUrl === null) === (card === null)) {
      throw invalidField('cardUrl', 'must be given, or card, and not both');
    }
    const means = readMeans(request, 'credentials', granteeOf(caller));
    await this.referable.check('cardHeaders', means.cardHeaders);
    await this.referable.check('credentials', means.credentials);
    await this.referable.checkAuthentication(means.authentication, this.clock.now());
    const pin = pinned({ protocolBinding: null, protocolVersion: null }, request);
    const source = { ...means, endpointOverride, pin };
    const checked = await this.registration.examine({ cardUrl, card, ...source });
    checkCarried('credentials', checked.endpoint, means);
    refuseCallersToken(caller, means.authentication);
    await this.registration.reachTokenServer(means.authentication);
    const now = this.clock.now();
    const agent: Omit<Agent, 'id'> = {
      ...agentOf(checked, source, now, null),
      tags: distinct(request.tags ?? []),
      priority: request.priority ?? 0,
      ...capacityAfter(DEFAULT_CAPACITY, request),
      enabled: request.enabled ?? true,
      organizations: namesOf(request.organizations),
      budgets: patched({}, request.budgets),
      switches: switched({}, request.switches),
      source: 'api',
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    };
    return { agent, checked };
  }

  /** Throws HubError NOT_FOUND, also for an agent that the caller does not administer. */
  async get(id: string, caller: Principal): Promise<Agent> {
    const found = (await this.store.get(id)) ?? this.unread.get(id);
    return found !== undefined && administers(caller, found) ? found : notFound(id);
  }

  /** Throws what {@link get} throws, and HubError CONFLICT when what is stored of the agent cannot be used. */
  async cards(id: string, caller: Principal): Promise<AgentCards> {
    const agent = await this.get(id, caller);
    const { previous, ...stored } = (await this.store.withPreviousCard(id)) ?? {
      agent,
      previous: null,
    };
    if (!administers(caller, stored.agent)) return notFound(id);
    refuseUnusable(stored.agent);
    const changes = previous === null ? [] : diffCards(previous, stored.agent);
    return { agent: stored.agent, previous, changes };
  }

  /**
   * Those that the caller administers, by id, declared agents among them that could not be read yet; `cursor` is a `nextCursor` of the same list.
   */
  async list(
    requested: Omit<AgentFilter, 'soleOrganization'>,
    caller: Principal,
    limit: number,
    cursor?: string,
  ): Promise<Page<Agent>> {
    const soleOrganization = organizationOfAgents(caller) ?? undefined;
    const filter = { ...requested, soleOrganization };
    const after = cursor === undefined ? undefined : readCursor('agents', cursor, isAgentId);
    const page = await this.store.list(filter, limit, after);
    const unread = this.unread.all().filter(({ id }) => this.registry.get(id) === undefined);
    const { items, nextCursor: next } = withUnread(page, unread, filter, limit, after);
    return { items, nextCursor: next === null ? null : issueCursor('agents', next) };
  }

  /** Throws HubError NOT_FOUND, CONFLICT for a declared agent, or what the URL's checks throw. */
  async patch(id: string, patch: AgentPatch, caller: Principal): Promise<Agent> {
    const present = await this.get(id, caller);
    refuseOthers(caller, patch.organizations);
    refuseDeclared(present);
    refuseUnusable(present);
    // It asks for nothing, so that what is known of the agent's health stays, too.
    if (Object.values(patch).every((member) => member === undefined)) return present;
    const credentials = entries('credentials', patch.credentials, granteeOf(caller));
    const cardHeaders = entries('cardHeaders', patch.cardHeaders, granteeOf(caller));
    await this.referable.check('credentials', credentials);
    await this.referable.check('cardHeaders', cardHeaders);
    const trust = await this.trustOf(present, patch.cardKeys);
    const authentication =
      patch.authentication === undefined
        ? undefined
        : readAuthentication(patch.authentication, granteeOf(caller));
    refuseCallersToken(caller, authentication ?? null);
    await this.referable.checkAuthentication(authentication, this.clock.now());
    await this.registration.reachTokenServer(authentication ?? null);
    const reach = await this.reachOf({ ...present, ...trust }, patch);
    const change = (agent: Agent): Agent => {
      // Another agent may have the id by now.
      const isMeant = agent.createdAt.getTime() === present.createdAt.getTime();
      if (!isMeant || !administers(caller, agent)) return notFound(id);
      refuseDeclared(agent);
      // They were checked for the servers it had: what it is called with is for no others.
      const isBound = (trust ?? reach ?? credentials ?? authentication) !== undefined;
      if (isBound && !isPlacedAs(present, agent)) {
        throw new HubError(
          'CONFLICT',
          `The card or address of ${id} was changed meanwhile; try again.`,
        );
      }
      const placed = { ...agent, ...trust, ...moved(agent, patch), ...reach };
      const given = credentialsAfter(placed, patch, { credentials, authentication });
      const cardHeadersAfter = patched(agent.cardHeaders, cardHeaders);
      if (cardHeaders) checkSize('cardHeaders', cardHeadersAfter);
      const endpoint = endpointOf({ ...placed, ...given });
      checkCarried('credentials', endpoint, given);
      refuseTwice('credentials', given);
      // What is kept would go to the servers that the card has now.
      if (credentials || authentication) refuseCallersToken(caller, given.authentication);
      return {
        ...placed,
        ...given,
        endpoint,
        tags: patch.tags === undefined ? agent.tags : distinct(patch.tags),
        priority: patch.priority ?? agent.priority,
        ...capacityAfter(agent, patch),
        enabled: patch.enabled ?? agent.enabled,
        organizations:
          patch.organizations === undefined ? agent.organizations : namesOf(patch.organizations),
        budgets: patched(agent.budgets, patch.budgets),
        switches: switched(agent.switches, patch.switches),
        cardHeaders: cardHeadersAfter,
        updatedAt: this.clock.now(),
      };
    };
    const changed = await this.store.update(id, change, this.present.writeCheckOf(caller));
    await this.registry.follow();
    return changed ?? notFound(id);
  }

  /**
   * Reads the card again. Throws HubError CONFLICT when the agent was registered without an address,
   * what {@link RegistrationCheck.examine} throws, and INVALID_PARAMS when the card names only servers that the
   * credentials are not for, or a gRPC interface that cannot carry them; the agent then stays as it was, and
   * shows the trouble.
   */
  async refresh(id: string, caller: Principal): Promise<Refreshed> {
    const before = await this.get(id, caller);
    if (before.cardUrl === null) {
      throw new HubError('CONFLICT', `${id} was registered with its card; there is no address.`);
    }
    const checked = await this.readAgain(before, caller);
    let changes: CardChange[] = [];
    const agent = await this.store.update(id, (stored) => {
      if (!administers(caller, stored)) return notFound(id);
      if (!isReadFor(before, stored, checked)) {
        throw new HubError(
          'CONFLICT',
          `${id} was changed while its card was read; refresh it again.`,
        );
      }
      changes = diffCards(stored, checked);
      const { card, originalCard, cardUrl, signature, refused } = checked;
      const updatedAt = this.clock.now();
      const cardTrouble = adjustedBy(originalCard, updatedAt, stored.cardTrouble);
      const read = { card, originalCard, cardUrl, signature, refused, cardTrouble };
      const fresh = { ...stored, ...read, updatedAt };
      const endpoint = endpointOf(fresh);
      checkCarried('credentials', endpoint, fresh);
      return { ...fresh, endpoint };
    });
    await this.registry.follow();
    if (agent === undefined && this.unread.get(id) !== undefined) throw unreadYet(id);
    return { agent: agent ?? notFound(id), changes };
  }

  /** The card of a registered agent as it is now. One that is not taken is noted with the agent. */
  private async readAgain(agent: Agent, caller: Principal): Promise<CheckedCard> {
    try {
      return await this.registration.examine({ ...agent, card: null });
    } catch (error) {
      if (error instanceof HubError) await this.noteRefused(agent, caller, error);
      throw error;
    }
  }

  private async noteRefused(agent: Agent, caller: Principal, error: HubError): Promise<void> {
    const { id } = agent;
    this.log.warn(
      { agent: id, ...whyOf(error) },
      'the refreshed card of an agent was refused; the previous card stays in use',
    );
    const cardTrouble = refusedBy(error, this.clock.now());
    await this.store.update(id, (stored) => {
      const isMeant = administers(caller, stored) && isReadFor(agent, stored);
      if (!isMeant || stored.cardTrouble?.kind === 'unusable') return stored;
      return { ...stored, cardTrouble };
    });
    await this.registry.follow();
  }

  /**
   * Takes an agent out of service, also a declared one: that one is as its declaration says again when
   * a process starts, or when the file says something else of `enabled`. Throws HubError NOT_FOUND.
   */
  async disable(id: string, caller: Principal): Promise<Agent> {
    const disabled = await this.store.update(id, (agent) =>
      administers(caller, agent)
        ? { ...agent, enabled: false, updatedAt: this.clock.now() }
        : notFound(id),
    );
    await this.registry.follow();
    return disabled ?? notFound(id);
  }

  /**
   * Deletes an agent: it gets no new message, and its id is free. What it works on goes on, and can be
   * canceled with it for 30 days.
   */
  async remove(id: string, caller: Principal): Promise<void> {
    refuseDeclared(await this.get(id, caller));
    const removed = await this.store.remove(id, this.clock.now(), (stored) => {
      if (!administers(caller, stored)) notFound(id);
      refuseDeclared(stored);
    });
    if (!removed) notFound(id);
    await this.registry.follow();
  }

  /**
   * The keys of a patch, what they say of the card the hub has, and what of it they vouch for. It stays
   * in use whatever they say, so that keys can be changed before the card is; and once it was verified,
   * only a verified one takes its place.
   */
  private async trustOf(
    agent: Agent,
    written: AgentPatch['cardKeys'],
  ): Promise<Pick<Agent, 'cardKeys' | 'signature' | 'card'> | undefined> {
    if (written === undefined) return undefined;
    const cardKeys = readCardKeys('cardKeys', written);
    const endpointUrl = chooseEndpoint(agent.card, { pin: agent.pin }).endpoint.url;
    const { card, signature } = await this.trust.judge({ ...agent, endpointUrl }, cardKeys);
    const wasVerified = signature.wasVerified || agent.signature.wasVerified;
    return { cardKeys, card, signature: { ...signature, wasVerified } };
  }

  /** The addresses after a patch, checked; undefined when it changes none. */
  private async reachOf(
    agent: Agent,
    patch: AgentPatch,
  ): Promise<Pick<Reach, 'refused'> | undefined> {
    const { endpointOverride, protocolBinding, protocolVersion } = patch;
    const requested = [endpointOverride, protocolBinding, protocolVersion];
    if (requested.every((one) => one === undefined)) return undefined;
    const { refused } = await this.registration.reach({ ...agent, ...moved(agent, patch) });
    return { refused };
  }

  /** Before an agent is called, since the answer would be waited for in vain. */
  private async checkId(id: string): Promise<void> {
    if (!isAgentId(id)) throw wrongId();
    if ((await this.store.get(id)) !== undefined) throw taken(id);
  }

  /** Under the id that is wanted, or the first free one made of the name. */
  private async add(
    agent: Omit<Agent, 'id'>,
    wanted: string | undefined,
    caller: Principal,
  ): Promise<Agent> {
    const taken = new Set(this.registry.all().map(({ id }) => id));
    for (;;) {
      const id = wanted ?? idFromName(agent.card.name, (one) => taken.has(one));
      try {
        await this.store.add({ ...agent, id }, this.present.writeCheckOf(caller));
        return { ...agent, id };
      } catch (error) {
        // Another process was quicker with a derived id: try the next one.
        const conflict = error instanceof HubError && error.reason === 'CONFLICT';
        if (!conflict || wanted !== undefined) throw error;
        taken.add(id);
      }
    }
  }
}

/**
 * Whether a stored agent is the one that a card was read for, with all that the card is judged by: meanwhile another
 * agent may have got its id, its keys may have been pinned, or a newer card been read.
 */
function isReadFor(before: Agent, stored: Agent, read?: CheckedCard): boolean {
  const judgedBy = ({ createdAt, cardUrl, cardKeys, pin, endpointOverride }: Agent): object => [
    ...[createdAt.getTime(), cardUrl, cardKeys, pin, endpointOverride],
  ];
  return (
    [before.originalCard, read?.originalCard].includes(stored.originalCard) &&
    (read === undefined || read.signature.wasVerified || !stored.signature.wasVerified) &&
    isDeepStrictEqual(judgedBy(stored), judgedBy(before))
  );
}

/** Whether an agent has the card, and is called where, it was before. */
function isPlacedAs(before: Agent, agent: Agent): boolean {
  const placeOf = ({ originalCard, endpointOverride, pin }: Agent): object => [
    ...[originalCard, endpointOverride, pin],
  ];
  return isDeepStrictEqual(placeOf(before), placeOf(agent));
}
