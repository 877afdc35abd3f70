import { BodyTooLargeError } from '../../common/egress/read-body.js';
import { type HubError, invalidField } from '../../common/hub-error.js';
import {
  checkJsonLimits,
  JsonLimitError,
  type JsonLimits,
  MAX_NESTING,
} from '../../common/json-limits.js';
import type { AgentCard } from '../../protocol/a2a.js';

/** Bytes of a card; what is larger is not one. */
export const CARD_LIMIT_BYTES = 256 * 1024;

/** Levels around the free-form `params` of an extension: the card, its capabilities, the list, the extension. */
const ENVELOPE_NESTING = 4;

/** What a card may hold before it is parsed. */
export const CARD_JSON: JsonLimits = {
  maxValues: 20_000,
  maxNesting: MAX_NESTING + ENVELOPE_NESTING,
};

/** Entries of each list of a card. */
const MAX_ENTRIES = {
  supportedInterfaces: 50,
  skills: 1000,
  extensions: 100,
  securitySchemes: 50,
  securityRequirements: 50,
  signatures: 50,
  modes: 100,
  tags: 100,
  examples: 100,
} as const;

/** Characters of a name, an id, a tag or a media type; of an address; of what is prose. */
const MAX_NAME = 512;
const MAX_URL = 2048;
const MAX_PROSE = 16 * 1024;

/**
 * Characters that change how the text around them is shown, where others read it: controls (C0 but for
 * tab, line feed and carriage return, DEL, C1) and those that turn the direction of writing.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const LINE_CONTROLS = /[\t\n\r]/;

/** Throws HubError INVALID_PARAMS for the text of a card that must not be parsed. */
export function checkCardText(text: string): void {
  checkText(text, CARD_LIMIT_BYTES, CARD_JSON);
}

/** The same of a card as the hub has stored it: in the 1.0 form, which may be longer than what was read. */
export function checkStoredCard(text: string): void {
  const { maxValues, maxNesting } = CARD_JSON;
  checkText(text, 4 * CARD_LIMIT_BYTES, { maxValues: 4 * maxValues, maxNesting: maxNesting + 8 });
}

function checkText(text: string, maxBytes: number, json: JsonLimits): void {
  if (Buffer.byteLength(text) > maxBytes) {
    throw invalidField('card', `is larger than ${maxBytes / 1024} KiB`);
  }
  try {
    checkJsonLimits(text, json);
  } catch (error) {
    throw cardFault(error);
  }
}

/** A limit that was passed while a card was read, as the error of the card; anything else as it is. */
export function cardFault(error: unknown): unknown {
  return isLimit(error) ? cardError(error) : error;
}

function isLimit(error: unknown): error is Error {
  return error instanceof JsonLimitError || error instanceof BodyTooLargeError;
}

function cardError(error: Error): HubError {
  const isLarge = error instanceof BodyTooLargeError;
  return invalidField(
    'card',
    isLarge ? `is larger than ${CARD_LIMIT_BYTES / 1024} KiB` : error.message,
  );
}

/**
 * Throws HubError INVALID_PARAMS naming the member of a card that is more than the hub, or those who read
 * its cards, can take: too many entries, too long, or with characters that hide or turn text.
 */
export function checkCardContent(card: AgentCard): void {
  name(card.name, 'card.name');
  prose(card.description, 'card.description');
  name(card.version, 'card.version');
  name(card.provider?.organization, 'card.provider.organization');
  url(card.provider?.url, 'card.provider.url');
  url(card.documentationUrl, 'card.documentationUrl');
  url(card.iconUrl, 'card.iconUrl');
  each(card.supportedInterfaces, 'supportedInterfaces', 'card.supportedInterfaces', (one, at) => {
    url(one.url, `${at}.url`);
    name(one.protocolBinding, `${at}.protocolBinding`);
    name(one.protocolVersion, `${at}.protocolVersion`);
    name(one.tenant, `${at}.tenant`);
  });
  const extensions = card.capabilities?.extensions ?? [];
  each(extensions, 'extensions', 'card.capabilities.extensions', (one, at) => {
    url(one.uri, `${at}.uri`);
    prose(one.description, `${at}.description`);
  });
  count(Object.keys(card.securitySchemes).length, 'securitySchemes', 'card.securitySchemes');
  count(card.securityRequirements.length, 'securityRequirements', 'card.securityRequirements');
  each(card.signatures, 'signatures', 'card.signatures', () => undefined);
  each(card.defaultInputModes, 'modes', 'card.defaultInputModes', name);
  each(card.defaultOutputModes, 'modes', 'card.defaultOutputModes', name);
  each(card.skills, 'skills', 'card.skills', (skill, at) => {
    name(skill.id, `${at}.id`);
    name(skill.name, `${at}.name`);
    prose(skill.description, `${at}.description`);
    each(skill.tags, 'tags', `${at}.tags`, name);
    each(skill.examples, 'examples', `${at}.examples`, prose);
    each(skill.inputModes, 'modes', `${at}.inputModes`, name);
    each(skill.outputModes, 'modes', `${at}.outputModes`, name);
    count(skill.securityRequirements.length, 'securityRequirements', `${at}.securityRequirements`);
  });
  texts(card, 'card');
}

/** Every text of it, and every name of a member: their nesting is bounded. */
function texts(value: unknown, field: string): void {
  if (typeof value === 'string' && HIDDEN.test(value)) throw hidden(field);
  if (typeof value !== 'object' || value === null) return;
  for (const [member, content] of Object.entries(value)) {
    if (HIDDEN.test(member)) throw hidden(`a name in ${field}`);
    texts(content, Array.isArray(value) ? `${field}[${member}]` : `${field}.${member}`);
  }
}

function each<T>(
  list: readonly T[],
  of: keyof typeof MAX_ENTRIES,
  field: string,
  check: (one: T, field: string) => void,
): void {
  count(list.length, of, field);
  list.forEach((one, index) => check(one, `${field}[${index}]`));
}

function count(entries: number, of: keyof typeof MAX_ENTRIES, field: string): void {
  const most = MAX_ENTRIES[of];
  if (entries > most) throw invalidField(field, `has more than ${most} entries`);
}

function name(text: string | undefined, field: string): void {
  limited(text, field, MAX_NAME);
  if (text !== undefined && LINE_CONTROLS.test(text)) throw hidden(field);
}

function url(text: string | undefined, field: string): void {
  limited(text, field, MAX_URL);
}

function prose(text: string | undefined, field: string): void {
  limited(text, field, MAX_PROSE);
}

function limited(text: string | undefined, field: string, most: number): void {
  if (text === undefined) return;
  if (text.length > most) throw invalidField(field, `is longer than ${most} characters`);
}

function hidden(field: string): Error {
  return invalidField(
    field,
    'must not have control characters, or characters that turn the direction of writing',
  );
}
