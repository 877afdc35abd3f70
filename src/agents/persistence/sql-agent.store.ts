import { Injectable } from '@nestjs/common';
import { HubError } from '../../common/hub-error.js';
import type { Page } from '../../common/page.js';
import { SecretBox } from '../../common/secret-box.js';
import { Database } from '../../database/database.js';
import { byCharacters } from '../../database/dialect.js';
import { Revision } from '../../database/revision.js';
import { forUpdate } from '../../database/rows.js';
import type { Work } from '../../database/sql.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import type { Agent } from '../agent.js';
import { AgentRows } from './agent-rows.js';
import { AgentEntity } from './agent.entity.js';
import { matchesFilter } from '../registry/agent-filter.js';
import { type AgentFilter, AgentStore } from '../registry/agent-store.js';

const AGENTS = new Table(AgentEntity);
const ROW = AGENTS.select();
const SELECT = `SELECT ${ROW.names} FROM agents`;
const INSERT = AGENTS.upsert('WHERE agents.deleted_at IS NOT NULL');
const UPDATE = AGENTS.update();
const REVISION = new Revision('agent_revisions');
const SWITCH = AGENTS.update(['enabled', 'updatedAt']);
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
      const added = yield* INSERT.one(tx, toRow(agent));
      if (added === 0) throw new HubError('CONFLICT', `There is an agent with the id ${agent.id}.`);
      yield* REVISION.raise(tx);
    });
  }

  update(id: string, change: (agent: Agent) => Agent): Promise<Agent | undefined> {
    const { toRow, toAgent } = this.rows;
    return this.database.write(function* (tx): Work<Agent | undefined> {
      const sql = `${SELECT} WHERE id = ? AND deleted_at IS NULL${forUpdate(tx)}`;
      const [row] = yield* tx.all<DatabaseRow>(sql, [id]);
      if (row === undefined) return undefined;
      const changed = change(toAgent(ROW.read(row)));
      if (changed.cardTrouble?.kind === 'unusable') {
        // What could not be read is not written over.
        yield* SWITCH.apply(tx, [{ ...changed, id }]);
      } else yield* UPDATE.apply(tx, [toRow({ ...changed, id })]);
      yield* REVISION.raise(tx);
      return changed;
    });
  }

  remove(id: string, now: Date): Promise<boolean> {
    return this.database.write(function* (tx) {
      const sql = 'UPDATE agents SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL';
      const removed = yield* tx.run(sql, [now.getTime(), id]);
      if (removed > 0) yield* REVISION.raise(tx);
      return removed > 0;
    });
  }

  purge(before: Date): Promise<number> {
    return this.database.write(function* (tx) {
      const sql = 'DELETE FROM agents WHERE deleted_at < ?';
      const purged = yield* tx.run(sql, [before.getTime()]);
      if (purged > 0) yield* REVISION.raise(tx);
      return purged;
    });
  }

  async get(id: string): Promise<Agent | undefined> {
    const sql = `${SELECT} WHERE id = ? AND deleted_at IS NULL`;
    const rows = await this.database.read<DatabaseRow>(sql, [id]);
    return rows.map(ROW.read).map(this.rows.toAgent)[0];
  }

  /** Filters look into cards, so they run here, chunk by chunk until the page is full. */
  async list(filter: AgentFilter, limit: number, cursor?: string): Promise<Page<Agent>> {
    const found: Agent[] = [];
    const id = byCharacters('id', this.database.dialect);
    let after = cursor ?? '';
    for (;;) {
      const rows = await this.database.read<DatabaseRow>(
        `${SELECT} WHERE ${id} > ? AND deleted_at IS NULL ORDER BY ${id} LIMIT ?`,
        [after, CHUNK],
      );
      found.push(
        ...rows
          .map(ROW.read)
          .map(this.rows.toAgent)
          .filter((agent) => matchesFilter(agent, filter)),
      );
      const last = rows.at(-1);
      if (found.length > limit || last === undefined || rows.length < CHUNK) break;
      after = last['id'] as string;
    }
    const items = found.slice(0, limit);
    return { items, nextCursor: found.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  async all(): Promise<Agent[]> {
    const id = byCharacters('id', this.database.dialect);
    const rows = await this.database.read<DatabaseRow>(`${SELECT} ORDER BY ${id}`);
    return rows.map(ROW.read).map(this.rows.toAgent);
  }

  revision(): Promise<number> {
    return REVISION.read(this.database);
  }
}
