import { Injectable } from '@nestjs/common';
import { HubError } from '../../common/hub-error.js';
import type { Page } from '../../common/page.js';
import { SecretBox } from '../../common/secret-box.js';
import { Database } from '../../database/database.js';
import { byCharacters } from '../../database/dialect.js';
import type { Tx, Work } from '../../database/sql.js';
import type { Agent } from '../agent.js';
import { AgentRows, type AgentRow } from './agent-rows.js';
import { matchesFilter } from '../registry/agent-filter.js';
import { type AgentFilter, AgentStore } from '../registry/agent-store.js';

const COLUMNS = [
  'card',
  'original_card',
  'card_url',
  'card_headers',
  'card_trouble',
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
  'switches',
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
const SWITCH = 'UPDATE agents SET enabled = ?, updated_at = ? WHERE id = ?';
/** Rows read at once by a filtered list. */
const CHUNK = 200;

/** {@link AgentStore} on the hub's database. */
@Injectable()
export class SqlAgentStore extends AgentStore {
  private readonly rows: AgentRows;

  constructor(
    private readonly database: Database,
    secrets: SecretBox,
  ) {
    super();
    this.rows = new AgentRows(secrets);
  }

  async add(agent: Agent): Promise<void> {
    const { toRow } = this.rows;
    await this.database.write(function* (tx) {
      const added = yield* tx.run(INSERT, toRow(agent));
      if (added === 0) throw new HubError('CONFLICT', `There is an agent with the id ${agent.id}.`);
      yield* raiseRevision(tx);
    });
  }

  update(id: string, change: (agent: Agent) => Agent): Promise<Agent | undefined> {
    const { toRow, toAgent } = this.rows;
    return this.database.write(function* (tx): Work<Agent | undefined> {
      // SQLite runs one work at a time; PostgreSQL has to hold the row.
      const lock = tx.dialect === 'postgres' ? ' FOR UPDATE' : '';
      const sql = `SELECT * FROM agents WHERE id = ? AND deleted_at IS NULL${lock}`;
      const rows = yield* tx.all<AgentRow>(sql, [id]);
      const [row] = rows;
      if (row === undefined) return undefined;
      const changed = change(toAgent(row));
      if (changed.cardTrouble?.kind === 'unusable') {
        // What could not be read is not written over.
        const { enabled, updatedAt } = changed;
        yield* tx.run(SWITCH, [enabled ? 1 : 0, updatedAt.getTime(), id]);
      } else yield* tx.run(UPDATE, toRow({ ...changed, id }));
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
    const rows = await this.database.read<AgentRow>(sql, [id]);
    return rows.map(this.rows.toAgent)[0];
  }

  /** Filters look into cards, so they run here, chunk by chunk until the page is full. */
  async list(filter: AgentFilter, limit: number, cursor?: string): Promise<Page<Agent>> {
    const found: Agent[] = [];
    const id = byCharacters('id', this.database.dialect);
    let after = cursor ?? '';
    for (;;) {
      const rows = await this.database.read<AgentRow>(
        `SELECT * FROM agents WHERE ${id} > ? AND deleted_at IS NULL ORDER BY ${id} LIMIT ?`,
        [after, CHUNK],
      );
      found.push(...rows.map(this.rows.toAgent).filter((agent) => matchesFilter(agent, filter)));
      const last = rows.at(-1);
      if (found.length > limit || last === undefined || rows.length < CHUNK) break;
      after = last.id;
    }
    const items = found.slice(0, limit);
    return { items, nextCursor: found.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  async all(): Promise<Agent[]> {
    const id = byCharacters('id', this.database.dialect);
    const rows = await this.database.read<AgentRow>(`SELECT * FROM agents ORDER BY ${id}`);
    return rows.map(this.rows.toAgent);
  }

  async revision(): Promise<number> {
    const sql = 'SELECT revision FROM agent_revisions WHERE id = 1';
    const [row] = await this.database.read<{ revision: number | string }>(sql);
    return Number(row?.revision ?? 0);
  }
}

function* raiseRevision(tx: Tx): Work<void> {
  yield* tx.run('UPDATE agent_revisions SET revision = revision + 1 WHERE id = 1');
}
