import { mayBeShortened, ROW_CODES, ShortTexts } from '../../database/short-texts.js';
import type { EventKind, TaskEvent } from '../task.js';

/*
 * Texts of the log as its rows keep them (`ShortTexts`). Most of an entry's text is what all of its kind say, and the ids:
 * that of its task, and those of the context and the delegations that were made in the same millisecond.
 */

/** The task's id, and what it begins with: all but the last group of a UUID. */
const [ID, BEGINNING] = ROW_CODES;
const UUID_LENGTH = 36;
const BEGINNING_LENGTH = 24;

const TASK = `{"task":{"id":"${ID}","contextId":"`;
const STATUS_UPDATE = `{"statusUpdate":{"taskId":"${ID}","contextId":"`;
const ARTIFACT_UPDATE = `{"artifactUpdate":{"taskId":"${ID}","contextId":"`;
const STATE = '","status":{"state":"TASK_STATE_';
const TIMESTAMP = '","timestamp":"20';
const STATUS_END = 'Z"}}}';
const ROUTED = 'Z"},"metadata":{"urn:a2a-hub:routing:v1":{"reason":"';
const ROUTED_ONE = '","strategy":"one","agents":[{"agentId":"';
const ROUTED_END = '"}]}}}}';
const CONTEXT = ',"contextId":"';
const USER = `","taskId":"${ID}","role":"ROLE_USER","parts":[{"text":"`;
const METADATA = '"}],"metadata":{"';
const STATUS_MESSAGE = ',"message":{"messageId":"';
const AGENT = `","taskId":"${ID}","role":"ROLE_AGENT","parts":[{"text":"`;
const ARTIFACT = '","artifact":{"artifactId":"';
const PARTS = '","parts":[{"text":"';
const ORIGIN = '"}],"metadata":{"urn:a2a-hub:routing:v1":{"agentId":"';
const DELEGATION = `","delegationId":"${BEGINNING}`;
const LAST_CHUNK = '"}}},"lastChunk":true}}';
const APPENDED = '"}}},"append":true}}';
const STATUS_TIMESTAMP = ',"timestamp":"20';

/** Stored: see {@link ShortTexts}. */
const TEXTS = new ShortTexts([
  ...[TASK, STATUS_UPDATE, ARTIFACT_UPDATE, STATE, TIMESTAMP, STATUS_END, ROUTED, ROUTED_ONE],
  ...[ROUTED_END, CONTEXT, USER, METADATA, STATUS_MESSAGE, AGENT, ARTIFACT, PARTS, ORIGIN],
  ...[DELEGATION, LAST_CHUNK, APPENDED, STATUS_TIMESTAMP],
]);

const OF_ARTIFACTS = [ARTIFACT_UPDATE, ARTIFACT, PARTS, ORIGIN, DELEGATION, LAST_CHUNK, APPENDED];

/** What texts of a kind have. Those of messages begin as they are: they are looked for by that (`downstream-tasks.ts`). */
const OF_KIND: Readonly<Record<EventKind, readonly string[]>> = {
  task: [TASK, STATE, TIMESTAMP, ROUTED, ROUTED_ONE, ROUTED_END],
  status: [
    ...[STATUS_UPDATE, STATE, TIMESTAMP, STATUS_MESSAGE, CONTEXT, AGENT, STATUS_TIMESTAMP],
    STATUS_END,
  ],
  artifact: OF_ARTIFACTS,
  held: OF_ARTIFACTS,
  message: [CONTEXT, USER, METADATA],
  reply: [CONTEXT, AGENT, METADATA],
};

/** The text of an entry, as its row has it. */
export function shortBody({ taskId, kind, body }: NewBody): string {
  // By its whole length: so it is known, too, when it is read.
  if (!mayBeShortened(body)) return body;
  if (kind !== 'message') return shortened(taskId, kind, body);
  const start = body.indexOf(CONTEXT);
  return start < 0 ? body : body.slice(0, start) + shortened(taskId, kind, body.slice(start));
}

/** The text of an entry's header, as its row has it. */
export function shortHeader(taskId: string, header: string | null): string | null {
  return header === null || !mayBeShortened(header) ? header : withoutIds(taskId, header);
}

/** What one of these was made of. */
export function wholeText(taskId: string, text: string): string {
  if (!mayBeShortened(text)) return text;
  return TEXTS.restored(text)
    .replaceAll(BEGINNING, () => taskId.slice(0, BEGINNING_LENGTH))
    .replaceAll(ID, () => taskId);
}

/** What is read of a row, with its texts as they are stored. */
export interface ShortRow {
  header: string | null;
  body?: string;
}

/** Puts whole texts in the place of those of a row, which it gives back. */
export function restoreRow<Row extends ShortRow>(row: Row, taskId: string): Row {
  if (row.header !== null) row.header = wholeText(taskId, row.header);
  if (row.body !== undefined) row.body = wholeText(taskId, row.body);
  return row;
}

type NewBody = Pick<TaskEvent, 'taskId' | 'kind' | 'body'>;

function shortened(taskId: string, kind: EventKind, text: string): string {
  return TEXTS.shortened(withoutIds(taskId, text), OF_KIND[kind]);
}

/** Ids that clients choose may be anything. */
function withoutIds(taskId: string, text: string): string {
  if (taskId.length !== UUID_LENGTH) return text;
  return text.replaceAll(taskId, ID).replaceAll(taskId.slice(0, BEGINNING_LENGTH), BEGINNING);
}
