import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { IdSource } from '../../common/ids.js';
import { Database, type Durability } from '../../database/database.js';
import { isUniqueViolation } from '../../database/dialect.js';
import type { Tx, Work } from '../../database/sql.js';
import { Table } from '../../database/table.js';
import type { AuditEntry } from '../audit-entry.js';
import { AuditLog, type ChainHead } from '../audit-log.js';
import { AuditRedaction } from '../audit-redaction.js';
import { type AuditEvent, CHAIN_START, type ChainPlace } from '../domain/audit-event.js';
import { nextEvent } from '../domain/next-event.js';
import { AuditEventEntity } from './audit-event.entity.js';

const INSERT = new Table(AuditEventEntity).insert();

/** Entries in one commit at most. */
const MAX_GROUP = 128;
/** How often a commit is tried that found its place taken: one before it was stored although it had failed. */
const ATTEMPTS = 3;

/** What waits for a commit; a work, which may fail, has it to itself. */
interface Waiting {
  readonly durability: Durability;
  readonly entries: readonly AuditEntry[] | ((tx: Tx) => Work<readonly AuditEntry[]>);
  readonly resolve: (events: readonly AuditEvent[]) => void;
  readonly reject: (error: unknown) => void;
}

/** {@link AuditLog} on the hub's database. One commit at a time: each entry names the one before it. */
@Injectable()
export class SqlAuditLog extends AuditLog {
  private readonly chain: string;
  private last: ChainPlace | undefined;
  private waiting: Waiting[] = [];
  private isWriting = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: IdSource,
    private readonly redaction: AuditRedaction,
  ) {
    super();
    this.chain = ids.next();
  }

  get head(): ChainHead | undefined {
    return this.last && { chain: this.chain, ...this.last };
  }

  async record(entry: AuditEntry): Promise<string> {
    const [event] = await this.add([entry], 'durable');
    return event!.id;
  }

  async recordFrom(
    work: (tx: Tx) => Work<readonly AuditEntry[]>,
    durability: Durability = 'durable',
  ): Promise<number> {
    return (await this.add(work, durability)).length;
  }

  private async add(
    entries: Waiting['entries'],
    durability: Durability,
  ): Promise<readonly AuditEvent[]> {
    await this.redaction.prepare();
    return new Promise((resolve, reject) => {
      this.waiting.push({ entries, durability, resolve, reject });
      if (!this.isWriting) void this.writeAll();
    });
  }

  /** Never rejects. */
  private async writeAll(): Promise<void> {
    this.isWriting = true;
    // What is recorded in this turn of the event loop becomes one commit.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const group = this.nextGroup();
      try {
        const written = await this.writeGroup(group);
        group.forEach(({ resolve }, index) => resolve(written[index] ?? []));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.isWriting = false;
  }

  private nextGroup(): Waiting[] {
    const alone = this.waiting.findIndex(({ entries }) => typeof entries === 'function');
    const end = alone < 0 ? MAX_GROUP : alone === 0 ? 1 : Math.min(alone, MAX_GROUP);
    return this.waiting.splice(0, end);
  }

  private async writeGroup(group: readonly Waiting[]): Promise<(readonly AuditEvent[])[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        const { durability } = group[0]!;
        const written = await this.database.write((tx) => this.append(tx, group), durability);
        const last = written.flat().at(-1);
        if (last !== undefined) this.last = { seq: last.seq, hash: last.hash };
        return written;
      } catch (error) {
        if (attempt >= ATTEMPTS || !isUniqueViolation(error)) throw error;
      }
    }
  }

  private *append(tx: Tx, group: readonly Waiting[]): Work<(readonly AuditEvent[])[]> {
    const entries: (readonly AuditEntry[])[] = [];
    for (const { entries: given } of group) {
      entries.push(typeof given === 'function' ? yield* given(tx) : given);
    }
    if (entries.every(({ length }) => length === 0)) return entries.map(() => []);
    const { chain, ids } = this;
    const at = this.clock.now();
    let place = yield* this.place(tx);
    const written = entries.map((list) =>
      list.map((entry) => {
        const event = nextEvent(this.redaction.entry(entry), chain, place, ids.next(), at);
        place = event;
        return event;
      }),
    );
    yield* INSERT.apply(tx, written.flat());
    return written;
  }

  /**
   * Where the chain ends: in the database, which may have more than is known here when the answer to a commit was
   * lost; or as it is known here, where somebody has deleted its end, so that what follows shows it.
   */
  private *place(tx: Tx): Work<ChainPlace> {
    const [stored = CHAIN_START] = yield* tx.all<ChainPlace>(
      'SELECT seq, hash FROM audit_events WHERE chain = ? ORDER BY seq DESC LIMIT 1',
      [this.chain],
    );
    return this.last !== undefined && this.last.seq > stored.seq ? this.last : stored;
  }
}
