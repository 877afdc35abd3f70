import { Injectable } from '@nestjs/common';
import type { WriteCheck } from '../../auth/index.js';
import { HubError } from '../../common/hub-error.js';
import type { Page } from '../../common/page.js';
import { SecretBox } from '../../common/secret-box.js';
import { mapInSlices, nextSlice } from '../../common/slices.js';
import { Database } from '../../database/database.js';
import { byCharacters } from '../../database/dialect.js';
import { Revision } from '../../database/revision.js';
import { forUpdate } from '../../database/rows.js';
import type { Tx, Work } from '../../database/sql.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import { forgetAgents } from '../../observability/persistence/forget-agents.js';
import type { Agent, OrganizationCredentials, PreviousCard } from '../agent.js';
import { diffCards } from '../card/card-diff.js';
import { AgentCredentialsRows } from './agent-credentials-rows.js';
import { AgentCredentialsEntity } from './agent-credentials.entity.js';
import { AgentRows, previousCardOf, previousCardRow } from './agent-rows.js';
import { AgentEntity } from './agent.entity.js';
import { PreviousCardEntity } from './previous-card.entity.js';
import { matchesFilter } from '../registry/agent-filter.js';
import { type AgentFilter, AgentStore } from '../registry/agent-store.js';

const AGENTS = new Table(AgentEntity);
const ROW = AGENTS.select();
const SELECT = `SELECT ${ROW.names} FROM agents`;
const INSERT = AGENTS.insert('ON CONFLICT DO NOTHING');
const UPDATE = AGENTS.update();
const OWN_CREDENTIALS = new Table(AgentCredentialsEntity);
const OWN = OWN_CREDENTIALS.select();
const PUT_OWN = OWN_CREDENTIALS.upsert();
const PREVIOUS_CARDS = new Table(PreviousCardEntity);
const PREVIOUS = PREVIOUS_CARDS.select();
const PUT_PREVIOUS = PREVIOUS_CARDS.upsert();
const FORGET_PREVIOUS = 'DELETE FROM previous_cards WHERE agent_id = ?';
const FORGET_ACTIVITY = forgetAgents('?');
const REVISION = new Revision('agent_revisions');
const SWITCH = AGENTS.update(['enabled', 'updatedAt']);
/** In the ids of deleted agents whose ids others have: no agent can be given one. */
const ASIDE = '@';
/** Deleted agents of one id that are kept beside the one that has it. */
const MOST_FORMER = 10;
/** Rows read at once by a filtered list. */
const CHUNK = 200;
/** Rows of all agents that are read at once: a card may have 256 KiB, and each row has it twice. */
const ROWS_AT_ONCE = 50;

/** An agent, and the row that it was read from. */
interface ReadAgent {
  readonly row: DatabaseRow;
  readonly agent: Agent;
}

/** {@link AgentStore} on the hub's database. */
@Injectable()
export class SqlAgentStore extends AgentStore {
  private readonly rows: AgentRows;
  private readonly ownRows: AgentCredentialsRows;
  /** What {@link all} read last, by id. */
  private lastRead: ReadonlyMap<string, ReadAgent> = new Map();

  constructor(
    private readonly database: Database,
    secrets: SecretBox,
  ) {
    super();
    this.rows = new AgentRows(secrets);
    this.ownRows = new AgentCredentialsRows(secrets);
  }

  async add(agent: Agent, admit?: WriteCheck): Promise<void> {
    const { toRow } = this.rows;
    await this.database.write(function* (tx) {
      if (admit !== undefined) yield* admit(tx);
      yield* setAside(tx, agent.id);
      const added = yield* INSERT.one(tx, toRow(agent));
      if (added === 0) throw new HubError('CONFLICT', `There is an agent with the id ${agent.id}.`);
      // Those of an agent that was deleted with the data of its organization.
      yield* tx.run('DELETE FROM agent_credentials WHERE agent_id = ?', [agent.id]);
      yield* tx.run(FORGET_PREVIOUS, [agent.id]);
      yield* tx.run(FORGET_ACTIVITY, [agent.id]);
      yield* REVISION.raise(tx);
    });
  }

  update(
    id: string,
    change: (agent: Agent) => Agent,
    admit?: WriteCheck,
  ): Promise<Agent | undefined> {
    const { toRow, toAgent } = this.rows;
    return this.database.write(function* (tx): Work<Agent | undefined> {
      if (admit !== undefined) yield* admit(tx);
      const sql = `${SELECT} WHERE id = ? AND deleted_at IS NULL${forUpdate(tx)}`;
      const [row] = yield* tx.all<DatabaseRow>(sql, [id]);
      if (row === undefined) return undefined;
      const stored = toAgent(ROW.read(row));
      const changed = change(stored);
      if (changed.cardTrouble?.kind === 'unusable') {
        // What could not be read is not written over.
        yield* SWITCH.apply(tx, [{ ...changed, id }]);
      } else {
        yield* UPDATE.apply(tx, [toRow({ ...changed, id })]);
        yield* keepPrevious(tx, stored, changed);
      }
      yield* REVISION.raise(tx);
      return changed;
    });
  }

  remove(id: string, now: Date, check?: (agent: Agent) => void): Promise<boolean> {
    const { toAgent } = this.rows;
    return this.database.write(function* (tx) {
      const sql = `${SELECT} WHERE id = ? AND deleted_at IS NULL${forUpdate(tx)}`;
      const [row] = yield* tx.all<DatabaseRow>(sql, [id]);
      if (row === undefined) return false;
      check?.(toAgent(ROW.read(row)));
      yield* tx.run('UPDATE agents SET deleted_at = ? WHERE id = ?', [now.getTime(), id]);
      yield* tx.run(FORGET_PREVIOUS, [id]);
      yield* tx.run(FORGET_ACTIVITY, [id]);
      yield* REVISION.raise(tx);
      return true;
    });
  }

  purge(before: Date): Promise<number> {
    return this.database.write(function* (tx) {
      const params = [before.getTime()];
      yield* tx.run(
        `DELETE FROM agent_credentials
         WHERE agent_id NOT IN (SELECT id FROM agents WHERE deleted_at IS NULL OR deleted_at >= ?)`,
        params,
      );
      const purged = yield* tx.run('DELETE FROM agents WHERE deleted_at < ?', params);
      if (purged > 0) yield* REVISION.raise(tx);
      return purged;
    });
  }

  async get(id: string): Promise<Agent | undefined> {
    const sql = `${SELECT} WHERE id = ? AND deleted_at IS NULL`;
    const rows = await this.database.read<DatabaseRow>(sql, [id]);
    return rows.map(ROW.read).map(this.rows.toAgent)[0];
  }

  async withPreviousCard(
    id: string,
  ): Promise<{ readonly agent: Agent; readonly previous: PreviousCard | null } | undefined> {
    for (;;) {
      const revision = await this.revision();
      const agent = await this.get(id);
      if (agent === undefined) return undefined;
      const rows = await PREVIOUS.list(this.database, 'WHERE agent_id = ?', [id]);
      const previous = rows.map(previousCardOf)[0] ?? null;
      if ((await this.revision()) === revision) return { agent, previous };
    }
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
      // The others need not be read.
      const meant = rows.filter((row) => filter.ids?.has(row['id'] as string) ?? true);
      const agents = await mapInSlices(meant, (row) => this.rows.toAgent(ROW.read(row)));
      found.push(...agents.filter((agent) => matchesFilter(agent, filter)));
      const last = rows.at(-1);
      if (found.length > limit || last === undefined || rows.length < CHUNK) break;
      after = last['id'] as string;
    }
    const items = found.slice(0, limit);
    return { items, nextCursor: found.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  putCredentials(
    id: string,
    organization: string,
    make: (agent: Agent) => OrganizationCredentials,
    admit?: WriteCheck,
  ): Promise<{ readonly kept: OrganizationCredentials; readonly isNew: boolean } | undefined> {
    const { rows, ownRows } = this;
    return this.database.write(function* (tx): Work<
      { readonly kept: OrganizationCredentials; readonly isNew: boolean } | undefined
    > {
      if (admit !== undefined) yield* admit(tx);
      const sql = `${SELECT} WHERE id = ? AND deleted_at IS NULL${forUpdate(tx)}`;
      const [row] = yield* tx.all<DatabaseRow>(sql, [id]);
      if (row === undefined) return undefined;
      const given = ownRows.toRow(id, organization, make(rows.toAgent(ROW.read(row))));
      const before = yield* tx.all(
        'SELECT 1 FROM agent_credentials WHERE organization = ? AND agent_id = ?',
        [organization, id],
      );
      yield* PUT_OWN.one(tx, given);
      yield* REVISION.raise(tx);
      return { kept: ownRows.toCredentials(given), isNew: before.length === 0 };
    });
  }

  removeCredentials(id: string, organization: string): Promise<boolean> {
    return this.database.write(function* (tx) {
      const removed = yield* tx.run(
        'DELETE FROM agent_credentials WHERE organization = ? AND agent_id = ?',
        [organization, id],
      );
      if (removed > 0) yield* REVISION.raise(tx);
      return removed > 0;
    });
  }

  async credentialsOf(
    id: string,
    organization: string,
  ): Promise<OrganizationCredentials | undefined> {
    const found = await OWN.list(
      this.database,
      `WHERE organization = ? AND agent_id = ?
         AND EXISTS (SELECT 1 FROM agents a WHERE a.id = agent_id AND a.deleted_at IS NULL)`,
      [organization, id],
    );
    return found.map((row) => this.ownRows.toCredentials(row))[0];
  }

  /**
   * Both tables as they are at one revision: an agent is never without what an organization has for it. In slices of the event
   * loop; what has not changed since it was read last is not read from its texts again.
   */
  async all(): Promise<Agent[]> {
    for (;;) {
      const revision = await this.revision();
      const rows = await this.allRows();
      const own = await OWN.list(this.database, '', []);
      const read = await mapInSlices(rows, (row) => this.readUnlessKnown(row));
      this.lastRead = new Map(read.map((each) => [each.agent.id, each]));
      if ((await this.revision()) !== revision) continue;
      const agents = read.map(({ agent }) => agent);
      return this.withOwn(agents, own).map((agent) => ({ ...agent, id: idOf(agent.id) }));
    }
  }

  private async allRows(): Promise<DatabaseRow[]> {
    const id = byCharacters('id', this.database.dialect);
    const all: DatabaseRow[] = [];
    for (let after = ''; ;) {
      const rows = await this.database.read<DatabaseRow>(
        `${SELECT} WHERE ${id} > ? ORDER BY ${id} LIMIT ?`,
        [after, ROWS_AT_ONCE],
      );
      for (const row of rows) all.push(row);
      if (rows.length < ROWS_AT_ONCE) return all;
      after = rows.at(-1)!['id'] as string;
      await nextSlice();
    }
  }

  private readUnlessKnown(row: DatabaseRow): ReadAgent {
    const known = this.lastRead.get(row['id'] as string);
    const isKnown = known !== undefined && isSameRow(known.row, row);
    // One that could not be used is read again: the key that its credentials are sealed with may have come.
    if (isKnown && known.agent.cardTrouble?.kind !== 'unusable') return known;
    return { row, agent: this.rows.toAgent(ROW.read(row)) };
  }

  private withOwn(agents: Agent[], rows: readonly AgentCredentialsEntity[]): Agent[] {
    if (rows.length === 0) return agents;
    const byAgent = new Map<string, Map<string, OrganizationCredentials>>();
    for (const row of rows) {
      const { agentId, organization } = row;
      const own = byAgent.get(agentId) ?? new Map<string, OrganizationCredentials>();
      byAgent.set(agentId, own.set(organization, this.ownRows.toCredentials(row)));
    }
    return agents.map((agent) => {
      const organizationCredentials = byAgent.get(agent.id);
      return organizationCredentials === undefined ? agent : { ...agent, organizationCredentials };
    });
  }

  revision(): Promise<number> {
    return REVISION.read(this.database);
  }
}

/**
 * A deleted agent whose id another one gets goes on under an id that none can have: what it works on stays with it. Of those
 * that had the id the oldest are forgotten.
 */
function* setAside(tx: Tx, id: string): Work<void> {
  const [deleted] = yield* tx.all<{ created_at: number }>(
    'SELECT created_at FROM agents WHERE id = ? AND deleted_at IS NOT NULL',
    [id],
  );
  if (deleted === undefined) return;
  const aside = `${id}${ASIDE}${deleted.created_at}`;
  const former = yield* tx.all<{ id: string }>(
    `SELECT id FROM agents WHERE id LIKE ? ORDER BY created_at DESC, id LIMIT ${MOST_FORMER} OFFSET ?`,
    [`${id}${ASIDE}%`, MOST_FORMER - 1],
  );
  for (const each of new Set([aside, ...former.map((row) => row.id)])) {
    yield* tx.run('DELETE FROM agent_credentials WHERE agent_id = ?', [each]);
    yield* tx.run('DELETE FROM agents WHERE id = ?', [each]);
  }
  yield* tx.run('UPDATE agent_credentials SET agent_id = ? WHERE agent_id = ?', [aside, id]);
  yield* tx.run('UPDATE agents SET id = ? WHERE id = ?', [aside, id]);
}

function isSameRow(one: DatabaseRow, other: DatabaseRow): boolean {
  return Object.keys(other).every((name) => one[name] === other[name]);
}

/** The id that an agent had, and has. */
function idOf(stored: string): string {
  return stored.split(ASIDE, 1)[0]!;
}

/** Keeps the card that another has taken the place of, unless they say the same or it could not be read. */
function* keepPrevious(tx: Tx, stored: Agent, changed: Agent): Work<void> {
  if (stored.originalCard === changed.originalCard) return;
  if (stored.cardTrouble?.kind === 'unusable') yield* tx.run(FORGET_PREVIOUS, [stored.id]);
  else if (diffCards(stored, changed).length > 0)
    yield* PUT_PREVIOUS.one(tx, previousCardRow(stored, changed.updatedAt));
}
