import { isRecord } from '../common/is-record.js';
import { type FieldViolation, invalidField, invalidFields } from '../common/hub-error.js';
import { Message } from '../protocol/a2a.js';
import { MAX_NAME_LENGTH, MAX_NAMED, MAX_PARTS } from '../protocol/request-limits.js';

/** Members of a part that are texts where they are there. */
const TEXTS = ['text', 'raw', 'url', 'filename', 'mediaType', 'media_type'] as const;
/** Those of them that name something. */
const NAMES: readonly string[] = ['filename', 'mediaType', 'media_type'];
/** Members of which a part holds one. */
const CONTENT = ['text', 'raw', 'url', 'data'] as const;

/**
 * The message of a dry run. What the choice of agents does not look at may be absent. Throws INVALID_PARAMS naming the
 * fields that are not of the form of an A2A message (1.0 JSON), or that hold more than a send may.
 */
export function dryRunMessage(
  given: Readonly<Record<string, unknown>> | null | undefined,
): Message {
  const written = given ?? {};
  const faults = faultsOf(written);
  if (faults.length > 0) throw invalidFields(faults);
  try {
    return Message.fromJSON(written);
  } catch {
    throw invalidField('message', 'is not an A2A message (1.0 JSON)');
  }
}

function faultsOf({
  parts,
  metadata,
  extensions,
}: Readonly<Record<string, unknown>>): FieldViolation[] {
  const faults: FieldViolation[] = [];
  if (isGiven(metadata) && !isRecord(metadata)) {
    faults.push({ field: 'message.metadata', description: 'must be an object' });
  }
  if (isGiven(extensions)) faults.push(...faultsOfExtensions(extensions));
  if (!isGiven(parts)) return faults;
  if (!Array.isArray(parts)) {
    return [...faults, { field: 'message.parts', description: 'must be an array' }];
  }
  if (parts.length === 0) {
    return [...faults, { field: 'message.parts', description: 'must hold at least 1 item' }];
  }
  if (parts.length > MAX_PARTS) {
    const description = `must hold at most ${MAX_PARTS} items`;
    return [...faults, { field: 'message.parts', description }];
  }
  return [...faults, ...parts.flatMap((part, i) => faultsOfPart(part, `message.parts[${i}]`))];
}

function faultsOfExtensions(extensions: unknown): FieldViolation[] {
  const field = 'message.extensions';
  if (!Array.isArray(extensions) || !extensions.every(isText)) {
    return [{ field, description: 'must be an array of strings' }];
  }
  if (extensions.length > MAX_NAMED) {
    return [{ field, description: `must hold at most ${MAX_NAMED} items` }];
  }
  return extensions.every(isName)
    ? []
    : [{ field, description: `must hold strings of at most ${MAX_NAME_LENGTH} characters` }];
}

function faultsOfPart(part: unknown, field: string): FieldViolation[] {
  if (!isRecord(part)) return [{ field, description: 'must be an object' }];
  const contents = CONTENT.filter((name) => isGiven(part[name])).length;
  // Null alone is a value like any other.
  if (contents !== 1 && !(contents === 0 && 'data' in part)) {
    return [{ field, description: `must hold exactly one of ${CONTENT.join(', ')}` }];
  }
  return TEXTS.flatMap((name) => {
    const description = isGiven(part[name]) ? faultOfText(part[name], name) : undefined;
    return description === undefined ? [] : [{ field: `${field}.${name}`, description }];
  });
}

function faultOfText(value: unknown, name: string): string | undefined {
  if (!isText(value)) return 'must be a string';
  if (!NAMES.includes(name) || isName(value)) return undefined;
  return `must be a string of at most ${MAX_NAME_LENGTH} characters`;
}

/** Null counts as absent, as in ProtoJSON. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isName(value: string): boolean {
  return value.length <= MAX_NAME_LENGTH;
}
