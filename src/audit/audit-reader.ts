import { Injectable } from '@nestjs/common';
import { issueCursor, readCursor } from '../common/cursor.js';
import { longTurn } from '../common/long-work.js';
import type { Page } from '../common/page.js';
import { PieceSize } from '../common/piece-size.js';
import { AuditRedaction } from './audit-redaction.js';
import { type AuditCursor, type AuditFilter, type AuditPiece, AuditStore } from './audit-store.js';
import type { AuditEvent } from './domain/audit-event.js';

/** Entries that are looked at in one piece. */
const PIECES = { least: 50, most: 250, first: 100 } as const;
/** Entries that are looked at for one page: with a filter that hardly any fits the page is shorter, and there is a next. */
const MAX_LOOKED_AT = 20_000;

/** Lists the audit log and hands all of it out, in pieces that stop nothing else. */
@Injectable()
export class AuditReader {
  constructor(
    private readonly store: AuditStore,
    private readonly redaction: AuditRedaction,
  ) {}

  /**
   * Newest first; `cursor` is a `nextCursor` of the same list. A page may have fewer entries although there is a next: no more
   * than `most` are looked at for it.
   */
  async list(
    filter: AuditFilter,
    limit: number,
    cursor?: string,
    most = MAX_LOOKED_AT,
  ): Promise<Page<AuditEvent>> {
    let after = cursor === undefined ? null : placeOf(cursor);
    const written = await this.asWritten(filter);
    const items: AuditEvent[] = [];
    const size = pieceSize();
    for (let looked = 0; looked < most;) {
      const rows = Math.min(size.rows, most - looked);
      const { events, next } = await size.time(() =>
        this.store.look(written, 'newest', rows, after),
      );
      looked += rows;
      for (const event of events) {
        if (items.length === limit) return { items, nextCursor: cursorOf(items.at(-1)!) };
        items.push(event);
      }
      if (next === null) return { items, nextCursor: null };
      after = next;
      await longTurn();
    }
    return { items, nextCursor: cursorOf(after!) };
  }

  /** All that fit, oldest first, in pieces. */
  async *all(filter: AuditFilter): AsyncGenerator<readonly AuditEvent[]> {
    const written = await this.asWritten(filter);
    const size = pieceSize();
    for (let after: AuditCursor | null = null; ;) {
      await longTurn();
      const from: AuditCursor | null = after;
      const piece: AuditPiece = await size.time(() =>
        this.store.look(written, 'oldest', size.rows, from),
      );
      yield piece.events;
      if (piece.next === null) return;
      after = piece.next;
    }
  }

  /** Who asks for a principal by its id finds the entries that name it by a digest. */
  private async asWritten(filter: AuditFilter): Promise<AuditFilter> {
    const { principal, onBehalfOf, resourceType, resourceId } = filter;
    await this.redaction.prepare();
    const written = (id: string): string => this.redaction.principal(id);
    return {
      ...filter,
      ...(principal !== undefined && { principal: written(principal) }),
      ...(onBehalfOf !== undefined && { onBehalfOf: written(onBehalfOf) }),
      ...(resourceId !== undefined &&
        resourceType === 'principals' && { resourceId: written(resourceId) }),
    };
  }
}

function pieceSize(): PieceSize {
  return new PieceSize(PIECES.least, PIECES.most, PIECES.first);
}

function cursorOf({ at, id }: AuditCursor): string {
  return issueCursor('audit', `${at.getTime()}.${id}`);
}

function placeOf(cursor: string): AuditCursor {
  const read = (place: string): AuditCursor | undefined => {
    const [, at, id] = /^(-?\d{1,16})\.(.*)$/s.exec(place) ?? [];
    const date = new Date(Number(at));
    return id === undefined || Number.isNaN(date.getTime()) ? undefined : { at: date, id };
  };
  return read(readCursor('audit', cursor, (place) => read(place) !== undefined))!;
}
