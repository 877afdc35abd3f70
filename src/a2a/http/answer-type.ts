import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';

/** A parameter of a media type in `Accept`, other than its weight. */
const PARAMETER = /;[ \t]*(?!q=)[^=;,\s]+=(?:"(?:[^"\\]|\\.)*"|[^;,]*)/gi;

const EVENT_STREAM = /^[ \t,]*text\/event-stream[ \t]*(?:[;,]|$)/i;

/**
 * Which of the types `Accept` prefers, by their weights (RFC 9110 §12.5.1); the first one when it prefers none,
 * or takes none: a client that cannot read an answer is helped more by it than by 406. Parameters
 * (`charset`, `profile`) choose nothing here.
 */
export function answerType(types: readonly string[], headers: IncomingHttpHeaders): string {
  return preferredType(types, headers) ?? types[0]!;
}

/**
 * The same of the answer to a call that failed. Who takes nothing but a stream of events and learns that there is none gets
 * `application/json`, if that is among them: clients that ask so read errors in that type alone.
 */
export function failureType(types: readonly string[], headers: IncomingHttpHeaders): string {
  const preferred = preferredType(types, headers);
  if (preferred !== undefined) return preferred;
  const plain = EVENT_STREAM.test(headers.accept ?? '') ? types.find(isPlainJson) : undefined;
  return plain ?? types[0]!;
}

function isPlainJson(type: string): boolean {
  return type.startsWith('application/json');
}

/** Undefined when `Accept` is missing or takes none of them. */
function preferredType(
  types: readonly string[],
  { accept }: IncomingHttpHeaders,
): string | undefined {
  if (types.length === 1 || accept === undefined || accept === '') return undefined;
  const bare = types.map((type) => type.split(';')[0]!);
  const headers = { accept: accept.replace(PARAMETER, '') };
  const [preferred] = new Negotiator({ headers }).mediaTypes(bare);
  return preferred === undefined ? undefined : types[bare.indexOf(preferred)]!;
}
