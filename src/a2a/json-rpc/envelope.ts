import type { JsonText } from '../../common/json-text.js';
import { isRecord } from '../../common/is-record.js';
import { HubError } from '../../common/hub-error.js';

/** The longest id, in UTF-16 units: every event of a stream repeats it. */
const MAX_ID_LENGTH = 1024;

/** A JSON-RPC request id; absent is the same as null. */
export type RpcId = string | number | null;

/** A JSON-RPC 2.0 request. */
export interface Envelope {
  readonly id: RpcId;
  readonly method: string;
  /** Absent and null are an empty object; anything else is as it came. */
  readonly params: unknown;
}

/** The id to answer with, whatever else is wrong with the request. */
export function idOf(body: unknown): RpcId {
  const id = isRecord(body) ? body['id'] : null;
  return isId(id) ? id : null;
}

/** Reads the envelope of a parsed body; throws INVALID_REQUEST when it is none. */
export function readEnvelope(body: unknown): Envelope {
  if (Array.isArray(body)) throw invalid('A2A has no batches: send one request object.');
  if (!isRecord(body)) throw invalid('The request must be a JSON-RPC 2.0 object.');
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0".', 'jsonrpc');
  if (id !== undefined && !isId(id)) {
    const wanted = `a string of at most ${MAX_ID_LENGTH} characters, an integer or null`;
    throw invalid(`id must be ${wanted}.`, 'id');
  }
  if (typeof method !== 'string' || method === '') {
    throw invalid('method must be a non-empty string.', 'method');
  }
  return { id: id ?? null, method, params: params ?? {} };
}

/** The text of an answer with a result; `result` is JSON text already. */
export function successText(id: RpcId, result: string): string {
  const [before, behind] = aroundResult(id);
  return before + result + behind;
}

function aroundResult(id: RpcId): [before: string, behind: string] {
  return [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, '}'];
}

/** The same of a result that may be long or is still being written. */
export function successJson(
  id: RpcId,
  result: JsonText | Promise<JsonText>,
): JsonText | Promise<JsonText> {
  if (typeof result === 'string') return successText(id, result);
  if (result instanceof Promise) return result.then((text) => successJson(id, text));
  const [before, behind] = aroundResult(id);
  return [Buffer.from(before), ...result, Buffer.from(behind)];
}

/** An answer with a result, as {@link successText} writes it. */
export function success(id: RpcId, result: unknown): object {
  return { jsonrpc: '2.0', id, result };
}

/** The text of an answer with an error. */
export function failureText(id: RpcId, error: unknown): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(error)}}`;
}

/** Larger integers would not come back as they went. */
function isId(id: unknown): id is RpcId {
  if (typeof id === 'string') return id.length <= MAX_ID_LENGTH;
  return id === null || Number.isSafeInteger(id);
}

function invalid(message: string, field?: string): HubError {
  const violations = field === undefined ? [] : [{ field, description: message }];
  return new HubError('INVALID_REQUEST', message, { violations });
}
