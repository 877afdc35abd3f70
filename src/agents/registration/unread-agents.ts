import { Injectable } from '@nestjs/common';
import { isUrl } from '../../common/is-url.js';
import { AgentCard } from '../../protocol/a2a.js';
import type { Page } from '../../common/page.js';
import type { Agent, CardTrouble } from '../agent.js';
import { matchesFilter } from '../registry/agent-filter.js';
import type { AgentFilter } from '../registry/agent-store.js';
import type { DeclaredAgent } from './declared-agent.js';

/** The address of an agent that none is known of. */
const NOWHERE = 'http://unread.invalid/';

/**
 * The declared agents whose card this process could not read yet, and none before it is stored: operators see them
 * in the list of agents, with the trouble. They get no work and are nowhere else.
 */
@Injectable()
export class UnreadAgents {
  private readonly byId = new Map<string, Agent>();

  /** Notes why the card could not be read. The same reason is as old as it was. */
  note(declared: DeclaredAgent, trouble: Pick<CardTrouble, 'reason' | 'since'>): void {
    const { id } = declared;
    const before = this.byId.get(id);
    if (before?.cardTrouble?.reason === trouble.reason) return;
    const cardTrouble = { ...trouble, kind: 'unread' } as const;
    this.byId.set(id, placeholderOf(declared, cardTrouble, before?.createdAt ?? trouble.since));
  }

  forget(id: string): void {
    this.byId.delete(id);
  }

  /** Another list of agents is declared. */
  clear(): void {
    this.byId.clear();
  }

  get(id: string): Agent | undefined {
    return this.byId.get(id);
  }

  /** By id, ascending. */
  all(): Agent[] {
    return [...this.byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

/** A page of what is stored with the agents that are not, in their places. */
export function withUnread(
  page: Page<Agent>,
  unread: readonly Agent[],
  filter: AgentFilter,
  limit: number,
  after = '',
): Page<Agent> {
  const last = page.nextCursor;
  const stored = new Set(page.items.map(({ id }) => id));
  const missing = unread.filter(
    (agent) =>
      agent.id > after &&
      (last === null || agent.id <= last) &&
      !stored.has(agent.id) &&
      matchesFilter(agent, filter),
  );
  if (missing.length === 0) return page;
  const all = [...page.items, ...missing].sort((a, b) => (a.id < b.id ? -1 : 1));
  const items = all.slice(0, limit);
  return { items, nextCursor: all.length > limit ? (items.at(-1)?.id ?? null) : last };
}

/** What is known of an agent without its card, for operators to see. */
function placeholderOf(declared: DeclaredAgent, cardTrouble: CardTrouble, createdAt: Date): Agent {
  const { id, cardUrl, endpointOverride, pin } = declared;
  const url = [endpointOverride, cardUrl].find((one) => one !== null && isUrl(one)) ?? NOWHERE;
  const { protocolBinding, protocolVersion } = pin;
  const { tags, priority, weight, maxConcurrent, maxQueue, enabled } = declared;
  const { organizations, budgets, switches } = declared;
  return {
    id,
    card: { ...AgentCard.fromJSON({}), name: id },
    originalCard: '{}',
    cardUrl,
    cardHeaders: {},
    cardTrouble,
    cardKeys: null,
    signature: {
      outcome: 'unchecked',
      keyId: null,
      algorithm: null,
      keySource: null,
      keyThumbprint: null,
      wasVerified: false,
      reason: 'Its card could not be read.',
    },
    endpoint: {
      url,
      protocolBinding: protocolBinding ?? 'JSONRPC',
      protocolVersion: protocolVersion ?? '1.0',
      tenant: '',
    },
    endpointOverride,
    pin,
    refused: [],
    credentials: {},
    authentication: null,
    credentialOrigins: [],
    tags,
    priority,
    weight,
    maxConcurrent,
    maxQueue,
    enabled,
    organizations,
    budgets,
    switches,
    source: 'config',
    createdAt,
    updatedAt: cardTrouble.since,
    deletedAt: null,
  };
}
