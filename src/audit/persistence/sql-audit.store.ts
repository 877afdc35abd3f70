import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { byCharacters } from '../../database/dialect.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import { storable } from '../../database/text.js';
import type { AuditDetails } from '../audit-entry.js';
import {
  type AuditCursor,
  type AuditFilter,
  type AuditPiece,
  AuditStore,
  type ChainRow,
} from '../audit-store.js';
import type { Anchor, AnchorKind } from '../domain/anchor.js';
import type { AuditEvent, ChainPlace } from '../domain/audit-event.js';
import { AuditAnchorEntity } from './audit-anchor.entity.js';
import { AuditEventEntity } from './audit-event.entity.js';

const EVENT = new Table(AuditEventEntity).select();
const ANCHORS = new Table(AuditAnchorEntity);
const ANCHOR = ANCHORS.select();
const INSERT_ANCHOR = ANCHORS.insert('ON CONFLICT (number) DO NOTHING');

/** Filters with an index of their own, the narrowest first, by column. */
const INDEXED = [
  ['resourceId', 'resource_id'],
  ['principal', 'principal'],
  ['action', 'action'],
] as const;
/** Most entries are of this action, which has no index of its own: to walk by time finds them as well. */
const OF_TASKS = 'tasks.end';
const OF_OTHERS = `action <> '${OF_TASKS}'`;
/** The milliseconds up to which there are dates, on either side of 1970 (ECMA-262, Time Values). */
const MAX_TIME = 8.64e15;
/** In place of details that are no JSON. */
const UNREADABLE = JSON.stringify({
  reason: 'The details cannot be read: somebody has changed this entry. Verify the audit log.',
} satisfies AuditDetails);
const EQUAL = [
  'principal',
  'organization',
  'onBehalfOf',
  'action',
  'outcome',
  'resourceType',
  'resourceId',
  'requestId',
] as const;

/** {@link AuditStore} on the hub's database. */
@Injectable()
export class SqlAuditStore extends AuditStore {
  constructor(private readonly database: Database) {
    super();
  }

  async look(
    filter: AuditFilter,
    order: 'newest' | 'oldest',
    rows: number,
    after: AuditCursor | null,
  ): Promise<AuditPiece> {
    const conditions: string[] = [];
    const params: SqlValue[] = [];
    const add = (sql: string, ...values: SqlValue[]): void => {
      conditions.push(sql);
      params.push(...values);
    };
    // SQLite would keep any value there: what is no time has no place in a list by time.
    add('at BETWEEN ? AND ?', -MAX_TIME, MAX_TIME);
    // One index is walked; what else is asked for is looked at row by row, so that a look is never long.
    const indexed = INDEXED.find(
      ([name]) => filter[name] !== undefined && filter[name] !== OF_TASKS,
    );
    if (indexed !== undefined) add(`${indexed[1]} = ?`, storable(filter[indexed[0]]!));
    // In the words of the index.
    if (indexed?.[0] === 'action') add(OF_OTHERS);
    if (filter.from !== undefined) add('at >= ?', filter.from.getTime());
    if (filter.to !== undefined) add('at < ?', filter.to.getTime());
    const [sign, direction] = order === 'newest' ? ['<', 'DESC'] : ['>', 'ASC'];
    const id = byCharacters('id', this.database.dialect);
    if (after !== null) {
      add(`at ${sign}= ?`, after.at.getTime());
      add(`(at ${sign} ? OR ${id} ${sign} ?)`, after.at.getTime(), storable(after.id));
    }
    const listed = await this.database.read<DatabaseRow>(
      `SELECT ${EVENT.names} FROM audit_events WHERE ${conditions.join(' AND ')}
         ORDER BY at ${direction}, ${id} ${direction} LIMIT ?`,
      [...params, rows],
    );
    const found = listed.map((row) => readable(row) ?? EVENT.read({ ...row, details: UNREADABLE }));
    const last = found.length < rows ? undefined : found.at(-1);
    return {
      events: found.filter((event) => fits(event, filter)),
      next: last === undefined ? null : { at: last.at, id: last.id },
    };
  }

  async chainAfter(chain: string): Promise<string | undefined> {
    return this.nextChain('audit_events', chain);
  }

  async anchoredChainAfter(chain: string): Promise<string | undefined> {
    return this.nextChain('audit_anchors', chain);
  }

  async endOf(chain: string): Promise<(ChainPlace & { readonly at: Date }) | undefined> {
    const [row] = await this.database.read<{ seq: number; hash: string; at: number }>(
      'SELECT seq, hash, at FROM audit_events WHERE chain = ? ORDER BY seq DESC LIMIT 1',
      [chain],
    );
    return row && { ...row, at: new Date(row.at) };
  }

  async chainRows(chain: string, after: number, limit: number): Promise<readonly ChainRow[]> {
    const rows = await this.database.read<DatabaseRow>(
      `SELECT ${EVENT.names} FROM audit_events WHERE chain = ? AND seq > ? ORDER BY seq LIMIT ?`,
      [chain, after, limit],
    );
    return rows.map((row) => ({ seq: Number(row['seq']), event: readable(row) }));
  }

  async placesAfter(
    chain: string,
    after: number,
    limit: number,
  ): Promise<readonly (ChainPlace & { readonly at: Date })[]> {
    const rows = await this.database.read<ChainPlace & { readonly at: number }>(
      'SELECT seq, hash, at FROM audit_events WHERE chain = ? AND seq > ? ORDER BY seq LIMIT ?',
      [chain, after, limit],
    );
    return rows.map(({ seq, hash, at }) => ({ seq, hash, at: new Date(at) }));
  }

  deleteUpTo(chain: string, seq: number, limit: number): Promise<number> {
    return this.database.write((tx) =>
      tx.run(
        `DELETE FROM audit_events WHERE chain = ? AND seq IN
           (SELECT seq FROM audit_events WHERE chain = ? AND seq <= ? ORDER BY seq LIMIT ?)`,
        [chain, chain, seq, limit],
      ),
    );
  }

  async lastAnchor(): Promise<Anchor | undefined> {
    return (await ANCHOR.list(this.database, 'ORDER BY number DESC LIMIT 1'))[0];
  }

  addAnchor(
    anchor: Anchor,
    mayBeStored: (tx: Tx) => Work<boolean>,
  ): Promise<'added' | 'taken' | 'revoked'> {
    return this.database.write(function* (tx) {
      if (!(yield* mayBeStored(tx))) return 'revoked';
      return (yield* INSERT_ANCHOR.one(tx, anchor)) > 0 ? 'added' : 'taken';
    });
  }

  anchorsAfter(number: number, limit: number): Promise<readonly Anchor[]> {
    return ANCHOR.list(this.database, 'WHERE number > ? ORDER BY number LIMIT ?', [number, limit]);
  }

  anchorsOf(
    chain: string,
    kind: 'head' | 'cut',
    after: number,
    limit: number,
  ): Promise<readonly Anchor[]> {
    return ANCHOR.list(
      this.database,
      'WHERE chain = ? AND kind = ? AND seq > ? ORDER BY seq, number LIMIT ?',
      [chain, kind, after, limit],
    );
  }

  async lastAnchorOf(chain: string, kind: AnchorKind): Promise<Anchor | undefined> {
    const rest = 'WHERE chain = ? AND kind = ? ORDER BY seq DESC, number DESC LIMIT 1';
    return (await ANCHOR.list(this.database, rest, [chain, kind]))[0];
  }

  deleteAnchorsUpTo(number: number, limit: number): Promise<number> {
    return this.database.write((tx) =>
      tx.run(
        `DELETE FROM audit_anchors WHERE number IN
           (SELECT number FROM audit_anchors WHERE number <= ? ORDER BY number LIMIT ?)`,
        [number, limit],
      ),
    );
  }

  private async nextChain(
    table: 'audit_events' | 'audit_anchors',
    chain: string,
  ): Promise<string | undefined> {
    const rows = await this.database.read<{ chain: string }>(
      `SELECT chain FROM ${table} WHERE chain > ? ORDER BY chain LIMIT 1`,
      [chain],
    );
    return rows[0]?.chain;
  }
}

function fits(event: AuditEvent, filter: AuditFilter): boolean {
  return EQUAL.every((name) => filter[name] === undefined || event[name] === filter[name]);
}

/** Null for a row that is no entry: somebody has written what the hub does not. */
function readable(row: DatabaseRow): AuditEvent | null {
  try {
    const event = EVENT.read(row);
    return Number.isNaN(event.at.getTime()) ? null : event;
  } catch {
    return null;
  }
}
