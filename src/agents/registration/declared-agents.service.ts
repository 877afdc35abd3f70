import { isDeepStrictEqual } from 'node:util';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { audited, AuditLog, ownChange } from '../../audit/index.js';
import { Clock } from '../../common/clock.js';
import { HubError, whyOf } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';
import { AppConfig, ConfigChanges } from '../../config/index.js';
import { withFirstOf } from '../../common/with-first-of.js';
import type { Agent } from '../agent.js';
import { issuersFault } from './referable.js';
import { RegistrationCheck } from './registration-check.js';
import { AgentRegistry, isContinuedBy } from '../registry/agent-registry.js';
import { agentOf, checkCarried } from './agent-source.js';
import { AgentStore } from '../registry/agent-store.js';
import { lackingSecurity } from '../card/required-security.js';
import { refusedBy } from '../card/card-trouble.js';
import { originOf } from '../card/card-verifier.js';
import { type DeclaredAgent, readDeclaredAgents } from './declared-agent.js';
import { UnreadAgents } from './unread-agents.js';

/** Pauses between two attempts at an agent that could not be read; the last one repeats. */
const RETRY_MS = [1000, 2000, 5000, 10_000, 30_000, 60_000];

/**
 * How long the start waits for agents whose card is in the file, so that as a rule they are there before
 * the hub answers. Only key sets and names that do not resolve quickly make it that long.
 */
const START_WAIT_MS = 1000;

/** Since when an agent's declaration says of `enabled` what it says. */
interface EnabledBy {
  readonly enabled: boolean;
  /** When the stored agent, which was disabled by then, was changed last; undefined: it was not. */
  readonly disabledAt: number | undefined;
}

/**
 * Keeps the agents that the configuration declares in the registry, at start and whenever its file
 * changes: adds and updates them, removes those that are no longer declared. One that cannot be read
 * yet keeps its stored card, if any, and is tried again until it can; it holds nothing else up. One that
 * an operator has disabled stays so until the next start, or until its declaration says something else of that.
 */
@Injectable()
export class DeclaredAgents implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private isStopping = false;
  private atStart: readonly DeclaredAgent[] = [];
  /** The list that is in force; undefined while none is, as when one could not be put in force. */
  private inForce: readonly DeclaredAgent[] | undefined;
  /** One list after another. */
  private declaring: Promise<void> = Promise.resolve();
  /** Aborted when another list takes the place of the present one, and by a stop. */
  private replaced = new AbortController();
  /** What was said last of agents that cannot be used yet. */
  private readonly said = new Map<string, string>();
  /** By id, since the start. */
  private readonly enabledBy = new Map<string, EnabledBy>();
  /** Writes under way, of this list or of the one before. */
  private readonly writing = new Set<Promise<void>>();

  constructor(
    private readonly config: AppConfig,
    private readonly changes: ConfigChanges,
    private readonly store: AgentStore,
    private readonly registry: AgentRegistry,
    private readonly registration: RegistrationCheck,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly unread: UnreadAgents,
    @Inject(AuditLog) private readonly audit: Pick<AuditLog, 'record'>,
  ) {}

  async onModuleInit(): Promise<void> {
    this.atStart = await readDeclaredAgents(this.config.agents.declared);
    this.changes.subscribe(async ({ agents }) => {
      const declared = await readDeclaredAgents(agents.declared);
      const isSame = isDeepStrictEqual(declared, this.inForce);
      return () => (isSame ? undefined : this.declare(declared));
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.declare(this.atStart);
  }

  /**
   * Puts this list in the place of the one before; see {@link replace}. It waits for none of the agents
   * that are read from elsewhere.
   */
  private declare(declared: readonly DeclaredAgent[]): Promise<void> {
    const done = this.declaring.then(() => this.replace(declared));
    this.declaring = done.catch(() => undefined);
    return done;
  }

  /**
   * Puts this list in the place of the one before, of which nothing is written any more by then; what
   * is still read for that is dropped. Rejects when the database does not answer: no list is in force
   * then, and the same one may be declared again.
   */
  private async replace(declared: readonly DeclaredAgent[]): Promise<void> {
    this.inForce = undefined;
    this.replaced.abort();
    await Promise.allSettled(this.writing);
    this.unread.clear();
    this.said.clear();
    await this.registry.renew();
    await this.removeOthers(declared);
    this.noteEnabled(declared);
    this.replaced = new AbortController();
    if (this.isStopping) this.replaced.abort();
    this.inForce = declared;
    const { signal } = this.replaced;
    const attempts = declared.map((agent) => ({ agent, first: this.attempt(agent, signal) }));
    for (const { agent, first } of attempts) void this.keepTrying(agent, first, signal);
    const inFile = attempts.flatMap(({ agent, first }) => (agent.card === null ? [] : [first]));
    const started = new AbortController();
    await Promise.race([
      Promise.all(inFile),
      withFirstOf([started.signal, signal], (over) => this.clock.sleep(START_WAIT_MS, over)),
    ]);
    started.abort();
  }

  onModuleDestroy(): void {
    this.isStopping = true;
    this.replaced.abort();
  }

  private async removeOthers(declared: readonly DeclaredAgent[]): Promise<void> {
    const stay = new Set(declared.map(({ id }) => id));
    for (const agent of this.registry.all()) {
      if (agent.source !== 'config' || stay.has(agent.id)) continue;
      await this.remove(agent);
    }
    await this.registry.renew();
  }

  private async remove({ id, createdAt }: Agent): Promise<void> {
    const isStill = (stored: Agent): boolean =>
      stored.source === 'config' && stored.createdAt.getTime() === createdAt.getTime();
    try {
      await this.audited('delete', id, () => this.removeIf(id, isStill));
    } catch (error) {
      // It was deleted, and registered by somebody, meanwhile.
      if (!isConflict(error)) throw error;
      return;
    }
    this.log.warn({ agent: id }, 'agent removed: the configuration no longer declares it');
  }

  /** Throws HubError CONFLICT where the id has another one by then. */
  private async removeIf(id: string, isMeant: (stored: Agent) => boolean): Promise<void> {
    await this.store.remove(id, this.clock.now(), (stored) => {
      if (!isMeant(stored))
        throw new HubError('CONFLICT', `Another agent has the id ${id} by now.`);
    });
  }

  private noteEnabled(declared: readonly DeclaredAgent[]): void {
    const before = new Map(this.enabledBy);
    this.enabledBy.clear();
    for (const { id, enabled } of declared) {
      const known = before.get(id);
      const present = this.registry.get(id);
      const disabledAt = present?.enabled === false ? present.updatedAt.getTime() : undefined;
      this.enabledBy.set(id, known?.enabled === enabled ? known : { enabled, disabledAt });
    }
  }

  private async keepTrying(
    agent: DeclaredAgent,
    first: Promise<boolean>,
    signal: AbortSignal,
  ): Promise<void> {
    let done = await first;
    for (let count = 0; !done && !signal.aborted; count++) {
      await this.clock.sleep(RETRY_MS[Math.min(count, RETRY_MS.length - 1)] ?? 0, signal);
      done = signal.aborted || (await this.attempt(agent, signal));
    }
  }

  /** Whether the registry now holds the agent as it is declared. Nothing is written after `signal`. */
  private async attempt(declared: DeclaredAgent, signal: AbortSignal): Promise<boolean> {
    try {
      const { agent, present } = await this.examined(declared);
      if (signal.aborted) return false;
      await this.write(agent, present);
      await this.registry.renew();
      this.warnOfSecurity(agent);
      this.warnOfIssuers(agent);
      this.unread.forget(declared.id);
      this.said.delete(declared.id);
      return true;
    } catch (error) {
      if (!signal.aborted) this.say(declared.id, error);
      if (error instanceof HubError && !signal.aborted) await this.noteRefused(declared, error);
      return false;
    }
  }

  private warnOfSecurity(agent: Agent): void {
    const lacking = lackingSecurity(agent);
    if (lacking === undefined) return;
    this.log.warn({ agent: agent.id, lacking }, 'a declared agent may refuse the calls of the hub');
  }

  private warnOfIssuers({ id, authentication }: Agent): void {
    const why = issuersFault(authentication, this.config);
    if (why === undefined) return;
    this.log.warn(
      { agent: id, why },
      "authentication.issuers of a declared agent: its callers' tokens are kept from it",
    );
  }

  /** One line for one reason, however often it is tried. */
  private say(id: string, error: unknown): void {
    const { message } = error as Error;
    const level = this.said.get(id) === message ? 'debug' : 'warn';
    this.said.set(id, message);
    this.log[level]({ agent: id, ...whyOf(error) }, 'declared agent cannot be used yet');
  }

  /** The card it has stays in use, and shows what is wrong with the one that is served now; so does it without one. */
  private async noteRefused(declared: DeclaredAgent, error: HubError): Promise<void> {
    const { id } = declared;
    try {
      const { cardTrouble: before } = this.registry.get(id) ?? {};
      const cardTrouble = refusedBy(error, this.clock.now());
      if (before === undefined) return this.unread.note(declared, cardTrouble);
      if (before?.reason === cardTrouble.reason) return;
      if (before?.kind === 'unusable') return;
      await this.store.update(id, (stored) => ({ ...stored, cardTrouble }));
      await this.registry.renew();
    } catch (failure) {
      this.log.warn(
        { agent: id, err: failure },
        'the problem of an agent card could not be recorded',
      );
    }
  }

  private async write(agent: Agent, present: Agent | undefined): Promise<void> {
    const written = this.put(agent, present);
    this.writing.add(written);
    try {
      await written;
    } finally {
      this.writing.delete(written);
    }
  }

  /** The agent as it is declared, with what its card says now, and the one that is stored. */
  private async examined(
    declared: DeclaredAgent,
  ): Promise<{ readonly agent: Agent; readonly present: Agent | undefined }> {
    const { id, cardUrl, card, endpointOverride, pin } = declared;
    const { cardHeaders, cardKeys, credentials, authentication } = declared;
    const source = { cardHeaders, cardKeys, credentials, authentication, endpointOverride, pin };
    const present = await this.store.get(id);
    const before = present && isFromSamePlace(present, cardUrl) ? present : undefined;
    const given = before && isGivenBefore(before, declared) ? before : undefined;
    const checked = await this.registration.examine({
      cardUrl,
      card,
      ...source,
      ...(given && { credentialOrigins: given.credentialOrigins }),
      ...(before && { signature: before.signature }),
    });
    checkCarried('headers', checked.endpoint, declared);
    await this.registration.reachTokenServer(authentication);
    const now = this.clock.now();
    const agent: Agent = {
      id,
      ...agentOf(checked, source, now, present?.cardTrouble ?? null),
      ...(given && { credentialOrigins: given.credentialOrigins }),
      tags: declared.tags,
      priority: declared.priority,
      weight: declared.weight,
      maxConcurrent: declared.maxConcurrent,
      maxQueue: declared.maxQueue,
      enabled: declared.enabled,
      organizations: declared.organizations,
      budgets: declared.budgets,
      switches: declared.switches,
      source: 'config',
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    };
    return { agent, present };
  }

  private async put(agent: Agent, present: Agent | undefined): Promise<void> {
    if (present === undefined) return this.add(agent);
    if (same(present, this.asDisabled(agent, present))) return;
    if (present.source === 'api') {
      this.log.warn({ agent: agent.id }, 'a declared agent replaces one registered by the API');
      if (!isContinuedBy(present, agent)) return this.takePlaceOf(present, agent);
    }
    await this.audited('update', agent.id, () =>
      this.store.update(agent.id, (stored) => ({
        ...this.asDisabled(agent, stored),
        createdAt: stored.createdAt,
      })),
    );
  }

  /** What the one that had the id works on stays with it. */
  private async takePlaceOf({ id, createdAt }: Agent, agent: Agent): Promise<void> {
    try {
      await this.audited('update', id, async () => {
        await this.removeIf(id, (stored) => stored.createdAt.getTime() === createdAt.getTime());
        await this.store.add(agent);
      });
    } catch (error) {
      // Somebody was quicker: another process of the same configuration, or the API.
      if (!isConflict(error)) throw error;
      await this.put(agent, await this.store.get(id));
    }
  }

  /** Disabled, where an operator has done that since the declaration says what it says. */
  private asDisabled(agent: Agent, { source, enabled, updatedAt }: Agent): Agent {
    const { disabledAt } = this.enabledBy.get(agent.id) ?? {};
    const isReset = source === 'api' || enabled || updatedAt.getTime() === disabledAt;
    return isReset ? agent : { ...agent, enabled: false };
  }

  private audited<T>(operation: string, id: string, work: () => Promise<T>): Promise<T> {
    const change = ownChange(
      `agents.${operation}`,
      { type: 'agents', id },
      { by: 'configuration' },
    );
    return audited(this.audit, change, work);
  }

  private async add(agent: Agent): Promise<void> {
    try {
      await this.audited('register', agent.id, () => this.store.add(agent));
    } catch (error) {
      // Another process of the same configuration was quicker.
      if (!isConflict(error)) throw error;
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof HubError && error.reason === 'CONFLICT';
}

/** The declared address is where the agent's card has been read before. */
function isFromSamePlace(present: Agent, cardUrl: string | null): boolean {
  if (cardUrl === null || present.cardUrl === null) return false;
  return originOf(cardUrl) === originOf(present.cardUrl);
}

/** The same credentials for the same agent stay those for the servers it had when they were declared. */
function isGivenBefore(
  before: Agent,
  { endpointOverride, credentials, authentication }: DeclaredAgent,
): boolean {
  return (
    before.endpointOverride === endpointOverride &&
    isDeepStrictEqual(before.credentials, credentials) &&
    isDeepStrictEqual(before.authentication, authentication)
  );
}

/** Equal but for the times: nothing to write, and no other process to bother. */
function same(present: Agent, declared: Agent): boolean {
  const { createdAt, updatedAt, card } = present;
  return isDeepStrictEqual(present, { ...declared, createdAt, updatedAt, card });
}
