import type { BudgetRules, ByteReservation } from '../../common/byte-budget.js';
import { heapShare } from '../../common/heap-share.js';
import { LONG, TurnCounter } from '../../common/long-work.js';
import type { StreamResponse } from '../../protocol/a2a.js';
import type { Payload } from '../../protocol/build.js';
import { eventOf } from '../../protocol/wire-json.js';
import {
  isDamaged,
  textOf,
  type EventKind,
  type HasCapacity,
  type LogHeader,
  type TaskEvent,
  type TaskLog,
} from '../../tasks/index.js';
import { UnrenderableError } from '../sending/webhook-body.js';

/** Log entries read at once. */
export const PAGE = 200;
/** What a page should have, where the entries before it show how large they are. */
const PAGE_BYTES = 256 * 1024;
/** Characters with which a page ends, whatever is known of its entries before it is read. */
const PAGE_TEXT = LONG;

const PAGES_BYTES = heapShare(1 / 16, 64 * LONG);

/** What all work under way in a process may hold of the log. A process with a small heap has less. */
export const PAGES_BUDGET: BudgetRules = {
  limit: PAGES_BYTES,
  // There may be hundreds of them.
  free: PAGES_BYTES / 128,
  step: PAGES_BYTES / 16,
  patienceMs: 2000,
};

/** Which entries, and what of the reservation they belong to, of which `held` bytes stay besides. */
export interface PageRequest {
  readonly taskId: string;
  readonly after: number;
  readonly limit: number;
  readonly part: string;
  readonly held?: number;
}

/** Log entries, as far as `reservation` has bytes for them, which large texts have before they are read; throws OverBudgetError. A page that has to wait is not kept. */
export function readPage(
  log: TaskLog,
  requested: PageRequest,
  reservation: ByteReservation,
): Promise<TaskEvent[]> {
  const { taskId, after, limit } = requested;
  const read = (hasCapacity: HasCapacity): Promise<TaskEvent[]> =>
    log.events(taskId, after, limit, PAGE_TEXT, hasCapacity);
  return readHeld(read, textOf, requested, reservation);
}

/** {@link readPage} of the headers alone: no text of an entry is read. */
export function readHeaders(
  log: TaskLog,
  requested: PageRequest,
  reservation: ByteReservation,
): Promise<LogHeader[]> {
  const { taskId, after, limit } = requested;
  const read = (): Promise<LogHeader[]> => log.headers(taskId, after, limit, PAGE_TEXT);
  return readHeld(read, sizeOfHeaders, requested, reservation);
}

/** Whether a page of at most `limit` entries ends with the log, as it was then. */
export function isLast(page: readonly TaskEvent[], limit: number): boolean {
  return page.length < limit && textOf(page) < PAGE_TEXT;
}

/** Counts what is parsed of a log, by characters: other work runs after each mebibyte. */
export function logTurns(): TurnCounter {
  return new TurnCounter(LONG);
}

/** How many entries to ask for behind this page. */
export function nextLimit(page: readonly TaskEvent[]): number {
  const average = textOf(page) / Math.max(1, page.length);
  return Math.max(1, Math.min(PAGE, Math.floor(PAGE_BYTES / Math.max(1, average))));
}

/** Reads until there is room for what is read; `read` asks before it reads large texts. */
async function readHeld<T>(
  read: (hasCapacity: HasCapacity) => Promise<T[]>,
  sizeOf: (page: readonly T[]) => number,
  { part, held = 0 }: PageRequest,
  reservation: ByteReservation,
): Promise<T[]> {
  for (;;) {
    const page = await tryRead();
    if (typeof page !== 'number') return page;
    await reservation.resize(part, page);
  }

  /** The page, else the bytes that are over budget. */
  async function tryRead(): Promise<T[] | number> {
    let missing: number | undefined;
    const hasCapacity: HasCapacity = (size) => {
      const bytes = held + size;
      missing = reservation.tryResize(part, bytes) ? undefined : bytes;
      return missing === undefined;
    };
    const page = await read(hasCapacity);
    if (missing === undefined && hasCapacity(sizeOf(page))) return page;
    return missing ?? 0;
  }
}

/** Their ids are what may be long of them. */
function sizeOfHeaders(headers: readonly LogHeader[]): number {
  return headers.reduce((sum, { header }) => sum + (header.artifact?.id.length ?? 0), 0);
}

/**
 * The payload of a log entry; of a long one, which is read in turns of the event loop, a promise. Throws {@link UnrenderableError}, or
 * rejects with it, when it is none: it never will be.
 */
export function payloadOf({ seq, body }: TaskEvent): Payload | Promise<Payload> {
  try {
    const event = eventOf(body);
    if (!(event instanceof Promise)) return payloadIn(event, seq);
    return event.then(
      (read) => payloadIn(read, seq),
      (cause: unknown) => {
        throw unreadable(seq, cause);
      },
    );
  } catch (cause) {
    throw cause instanceof UnrenderableError ? cause : unreadable(seq, cause);
  }
}

function payloadIn({ payload }: StreamResponse, seq: number): Payload {
  if (!payload) throw unreadable(seq);
  return payload;
}

/** How the texts of entries that are shown begin. */
const BEGINNING: Partial<Record<EventKind, string>> = {
  task: '{"task":{',
  status: '{"statusUpdate":{',
  artifact: '{"artifactUpdate":{',
};

/**
 * The text of a log entry, to be sent as it is. Throws {@link UnrenderableError} when it begins or ends as none does; it is
 * not parsed.
 */
export function wireOf({ seq, kind, header, body }: TaskEvent): string {
  const isWhole = body.startsWith(BEGINNING[kind] ?? '{') && body.endsWith('}}');
  if (!isWhole || isDamaged({ kind, header })) throw unreadable(seq);
  return body;
}

function unreadable(seq: number, cause?: unknown): UnrenderableError {
  return new UnrenderableError(`entry ${seq} of the task's log cannot be read`, { cause });
}
