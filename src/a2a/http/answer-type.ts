import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';

/** A parameter of a media type in `Accept`, other than its weight. */
const PARAMETER = /;[ \t]*(?!q=)[^=;,\s]+=(?:"(?:[^"\\]|\\.)*"|[^;,]*)/gi;

/**
 * Which of the types `Accept` prefers, by their weights (RFC 9110 §12.5.1); the first one when it prefers none,
 * or takes none: a client that cannot read an answer is helped more by it than by 406. Parameters
 * (`charset`, `profile`) choose nothing here.
 */
export function answerType(types: readonly string[], { accept }: IncomingHttpHeaders): string {
  const usual = types[0]!;
  if (types.length === 1 || accept === undefined || accept === '') return usual;
  const bare = types.map((type) => type.split(';')[0]!);
  const headers = { accept: accept.replace(PARAMETER, '') };
  const [preferred] = new Negotiator({ headers }).mediaTypes(bare);
  return preferred === undefined ? usual : types[bare.indexOf(preferred)]!;
}
