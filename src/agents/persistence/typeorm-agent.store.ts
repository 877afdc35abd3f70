import { Injectable } from '@nestjs/common';
import { HubError } from '../../common/hub-error.js';
import type { Page } from '../../common/page.js';
import { SecretBox } from '../../common/secret-box.js';
import { Database } from '../../database/database.js';
import { byCharacters } from '../../database/dialect.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import { AgentCard } from '../../protocol/a2a.js';
import type { Agent, AgentBudgets, AgentEndpoint, AgentPin } from '../agent.js';
import { matchesFilter } from '../agent-filter.js';
import { type AgentFilter, AgentStore } from '../agent-store.js';
import { openHeaders, sealHeaders } from '../sealed-headers.js';

interface Row {
  readonly id: string;
  readonly card: string;
  readonly original_card: string;
  readonly card_url: string | null;
  readonly card_headers: string;
  readonly card_keys: string | null;
  readonly signature: string;
  readonly endpoint: string;
  readonly endpoint_override: string | null;
  readonly pin: string;
  readonly refused: string;
  readonly credentials: string;
  readonly credential_origins: string;
  readonly tags: string;
  readonly priority: number;
  readonly weight: number;
  readonly max_concurrent: number | null;
  readonly max_queue: number | null;
  readonly enabled: number;
  readonly organizations: string | null;
  readonly budgets: string;
  readonly source: string;
  readonly created_at: number | string;
  readonly updated_at: number | string;
  readonly deleted_at: number | string | null;
}

const COLUMNS = [
  'card',
  'original_card',
  'card_url',
  'card_headers',
  'card_keys',
  'signature',
  'endpoint',
  'endpoint_override',
  'pin',
  'refused',
  'credentials',
  'credential_origins',
  'tags',
  'priority',
  'weight',
  'max_concurrent',
  'max_queue',
  'enabled',
  'organizations',
  'budgets',
  'source',
  'created_at',
  'updated_at',
  'deleted_at',
] as const;
const INSERT = `INSERT INTO agents (${COLUMNS.join(', ')}, id) VALUES
  (${COLUMNS.map(() => '?').join(', ')}, ?) ON CONFLICT (id) DO UPDATE SET
  ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}
  WHERE agents.deleted_at IS NOT NULL`;
const UPDATE = `UPDATE agents SET ${COLUMNS.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`;
/** Rows read at once by a filtered list. */
const CHUNK = 200;

/** {@link AgentStore} on the hub's database. */
@Injectable()
export class TypeormAgentStore extends AgentStore {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {
    super();
  }

  async add(agent: Agent): Promise<void> {
    const { toRow } = this;
    await this.database.write(function* (tx) {
      const added = yield* tx.run(INSERT, toRow(agent));
      if (added === 0) throw new HubError('CONFLICT', `There is an agent with the id ${agent.id}.`);
      yield* raiseRevision(tx);
    });
  }

  update(id: string, change: (agent: Agent) => Agent): Promise<Agent | undefined> {
    const { toRow, toAgent } = this;
    return this.database.write(function* (tx): Work<Agent | undefined> {
      // SQLite runs one work at a time; PostgreSQL has to hold the row.
      const lock = tx.dialect === 'postgres' ? ' FOR UPDATE' : '';
      const sql = `SELECT * FROM agents WHERE id = ? AND deleted_at IS NULL${lock}`;
      const rows = yield* tx.all<Row>(sql, [id]);
      const [row] = rows;
      if (row === undefined) return undefined;
      const changed = change(toAgent(row));
      yield* tx.run(UPDATE, toRow({ ...changed, id }));
      yield* raiseRevision(tx);
      return changed;
    });
  }

  remove(id: string, now: Date): Promise<boolean> {
    return this.database.write(function* (tx) {
      const sql = 'UPDATE agents SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL';
      const removed = yield* tx.run(sql, [now.getTime(), id]);
      if (removed > 0) yield* raiseRevision(tx);
      return removed > 0;
    });
  }

  purge(before: Date): Promise<number> {
    return this.database.write(function* (tx) {
      const sql = 'DELETE FROM agents WHERE deleted_at < ?';
      const purged = yield* tx.run(sql, [before.getTime()]);
      if (purged > 0) yield* raiseRevision(tx);
      return purged;
    });
  }

  async get(id: string): Promise<Agent | undefined> {
    const sql = 'SELECT * FROM agents WHERE id = ? AND deleted_at IS NULL';
    const rows = await this.database.read<Row>(sql, [id]);
    return rows.map(this.toAgent)[0];
  }

  /** Filters look into cards, so they run here, chunk by chunk until the page is full. */
  async list(filter: AgentFilter, limit: number, cursor?: string): Promise<Page<Agent>> {
    const found: Agent[] = [];
    const id = byCharacters('id', this.database.dialect);
    let after = cursor ?? '';
    for (;;) {
      const rows = await this.database.read<Row>(
        `SELECT * FROM agents WHERE ${id} > ? AND deleted_at IS NULL ORDER BY ${id} LIMIT ?`,
        [after, CHUNK],
      );
      found.push(...rows.map(this.toAgent).filter((agent) => matchesFilter(agent, filter)));
      const last = rows.at(-1);
      if (found.length > limit || last === undefined || rows.length < CHUNK) break;
      after = last.id;
    }
    const items = found.slice(0, limit);
    return { items, nextCursor: found.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  async all(): Promise<Agent[]> {
    const id = byCharacters('id', this.database.dialect);
    const rows = await this.database.read<Row>(`SELECT * FROM agents ORDER BY ${id}`);
    return rows.map(this.toAgent);
  }

  async revision(): Promise<number> {
    const sql = 'SELECT revision FROM agent_revisions WHERE id = 1';
    const [row] = await this.database.read<{ revision: number | string }>(sql);
    return Number(row?.revision ?? 0);
  }

  private readonly toRow = (agent: Agent): SqlValue[] => [
    JSON.stringify(AgentCard.toJSON(agent.card)),
    storable(agent.originalCard),
    storable(agent.cardUrl),
    JSON.stringify(sealHeaders(this.secrets, agent.cardHeaders)),
    agent.cardKeys === null ? null : JSON.stringify(agent.cardKeys),
    JSON.stringify(agent.signature),
    JSON.stringify(agent.endpoint),
    storable(agent.endpointOverride),
    JSON.stringify(agent.pin),
    JSON.stringify(agent.refused),
    JSON.stringify(sealHeaders(this.secrets, agent.credentials)),
    JSON.stringify(agent.credentialOrigins),
    JSON.stringify(agent.tags),
    agent.priority,
    agent.weight,
    agent.maxConcurrent,
    agent.maxQueue,
    agent.enabled ? 1 : 0,
    agent.organizations === null ? null : JSON.stringify(agent.organizations),
    JSON.stringify(agent.budgets),
    agent.source,
    agent.createdAt.getTime(),
    agent.updatedAt.getTime(),
    agent.deletedAt?.getTime() ?? null,
    agent.id,
  ];

  private readonly toAgent = (row: Row): Agent => ({
    id: row.id,
    card: AgentCard.fromJSON(JSON.parse(row.card)),
    originalCard: row.original_card,
    cardUrl: row.card_url,
    cardHeaders: this.headers(row.card_headers),
    cardKeys: parsedOrNull(row.card_keys) as Agent['cardKeys'],
    signature: JSON.parse(row.signature) as Agent['signature'],
    endpoint: JSON.parse(row.endpoint) as AgentEndpoint,
    endpointOverride: row.endpoint_override,
    pin: JSON.parse(row.pin) as AgentPin,
    refused: JSON.parse(row.refused) as Agent['refused'],
    credentials: this.headers(row.credentials),
    credentialOrigins: JSON.parse(row.credential_origins) as string[],
    tags: JSON.parse(row.tags) as string[],
    priority: Number(row.priority),
    weight: row.weight,
    maxConcurrent: row.max_concurrent,
    maxQueue: row.max_queue,
    enabled: Number(row.enabled) === 1,
    organizations: parsedOrNull(row.organizations) as string[] | null,
    budgets: JSON.parse(row.budgets) as Partial<AgentBudgets>,
    source: row.source as Agent['source'],
    createdAt: new Date(Number(row.created_at)),
    updatedAt: new Date(Number(row.updated_at)),
    deletedAt: row.deleted_at === null ? null : new Date(Number(row.deleted_at)),
  });

  private headers(json: string): Record<string, string> {
    return openHeaders(this.secrets, JSON.parse(json) as Record<string, string>);
  }
}

function* raiseRevision(tx: Tx): Work<void> {
  yield* tx.run('UPDATE agent_revisions SET revision = revision + 1 WHERE id = 1');
}

function parsedOrNull(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
