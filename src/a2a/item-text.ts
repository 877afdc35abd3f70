import { blocksOf, type JsonText, quickJsonText } from '../common/json-text.js';
import { LONG } from '../common/long-work.js';
import { StreamResponse, type Task } from '../protocol/a2a.js';
import { withLateBytes } from '../protocol/part-bytes.js';
import { wireOf } from '../protocol/wire-json.js';
import { type StreamItem, takeBody } from '../tasks/index.js';

/**
 * An item of a stream as a StreamResponse in 1.0 wire JSON, as text: what the log has as it is, so that every subscriber reads the
 * same bytes. A promise where it is not small; in that case it is taken out of the item.
 */
export function itemText(item: StreamItem): JsonText | Promise<JsonText> {
  const body = takeBody(item);
  if (typeof body !== 'string') return quickJsonText(jsonOf(body));
  return body.length > LONG ? blocksOf(body) : body;
}

/** The same as JSON, in which long bytes may be `Base64`. */
export function itemJson(item: StreamItem): unknown {
  const body = takeBody(item);
  return typeof body === 'string' ? wireOf(body) : jsonOf(body);
}

function jsonOf(task: Task): unknown {
  return withLateBytes(() => StreamResponse.toJSON(responseOf(task)));
}

/** A task as an event. */
export function responseOf(task: Task): StreamResponse {
  return { payload: { $case: 'task', value: task } };
}
