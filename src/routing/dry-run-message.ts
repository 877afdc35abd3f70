import { isRecord } from '../common/is-record.js';
import { type FieldViolation, invalidField, invalidFields } from '../common/hub-error.js';
import { Message } from '../protocol/a2a.js';

/** Members of a part that are texts where they are there. */
const TEXTS = ['text', 'raw', 'url', 'filename', 'mediaType', 'media_type'] as const;
/** Members of which a part holds one. */
const CONTENT = ['text', 'raw', 'url', 'data'] as const;

/**
 * The message of a dry run. What the choice of agents does not look at may be absent. Throws INVALID_PARAMS naming the
 * fields that are not of the form of an A2A message (1.0 JSON).
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
  if (isGiven(extensions) && !(Array.isArray(extensions) && extensions.every(isText))) {
    faults.push({ field: 'message.extensions', description: 'must be an array of strings' });
  }
  if (!isGiven(parts)) return faults;
  if (!Array.isArray(parts)) {
    return [...faults, { field: 'message.parts', description: 'must be an array' }];
  }
  if (parts.length === 0) {
    return [...faults, { field: 'message.parts', description: 'must hold at least 1 item' }];
  }
  return [...faults, ...parts.flatMap((part, i) => faultsOfPart(part, `message.parts[${i}]`))];
}

function faultsOfPart(part: unknown, field: string): FieldViolation[] {
  if (!isRecord(part)) return [{ field, description: 'must be an object' }];
  const contents = CONTENT.filter((name) => isGiven(part[name])).length;
  // Null alone is a value like any other.
  if (contents !== 1 && !(contents === 0 && 'data' in part)) {
    return [{ field, description: `must hold exactly one of ${CONTENT.join(', ')}` }];
  }
  return TEXTS.filter((name) => isGiven(part[name]) && !isText(part[name])).map((name) => ({
    field: `${field}.${name}`,
    description: 'must be a string',
  }));
}

/** Null counts as absent, as in ProtoJSON. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
