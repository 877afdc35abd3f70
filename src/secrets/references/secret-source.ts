import type { SecretReference } from '../../common/secret-references/secret-reference.js';

/** Longest secret that is taken, in characters. */
export const MAX_SECRET = 64 * 1024;

/** Where secrets are read from. */
export interface SecretSource {
  /** How long a secret is used before it is read again; Infinity: as long as the process lives. */
  readonly freshMs: number;
  /** Rejects with {@link SourceError}. */
  read(reference: SecretReference): Promise<string>;
}

/**
 * `gone`: the source answers, and there is no such secret (any more): what was read before is not used on. `away`: nothing
 * can be said of the secret now, so it is. `refused`: it is not for who set the reference, whatever its source says.
 */
export type SourceTrouble = 'gone' | 'away' | 'refused';

/** A secret could not be read. The message says why and what to do, to follow the reference; it holds no value. */
export class SourceError extends Error {
  override readonly name = 'SourceError';

  constructor(
    readonly trouble: SourceTrouble,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** The whole text, or a member of the JSON object it is. `broken`: what it means that the text is no JSON. */
export function memberOf(text: string, member: string | null, broken: SourceTrouble): string {
  if (member === null) return text;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Without the cause: it quotes the text.
    throw new SourceError(broken, `is not JSON, so it has no member ${member}`);
  }
  return fieldOf(json, member);
}

/** A text among the members of an object. */
export function fieldOf(object: unknown, member: string): string {
  const has = typeof object === 'object' && object !== null && Object.hasOwn(object, member);
  const value: unknown = has ? (object as Record<string, unknown>)[member] : undefined;
  if (value === undefined) throw new SourceError('gone', `has no member ${member}`);
  if (typeof value !== 'string') {
    throw new SourceError('gone', `has a member ${member} that is not text`);
  }
  return value;
}
