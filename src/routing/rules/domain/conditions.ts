import { holds } from '../../../common/scope.js';
import { DIRECTIVE_LIMITS, type TagMatch } from '../../../protocol/routing-extension.js';
import type { RuleQuestion } from '../../domain/rule-decision.js';
import { tagKey, tagKeysOf } from '../../../common/tag-key.js';
import { namedList } from '../../../common/named-list.js';
import { MediaList } from '../../domain/media-list.js';
import { metadataAmong } from './metadata-path.js';
import { type Patterns, patternText } from './pattern.js';
import type { MetadataValue, RuleConditions, TextCondition } from './rule.js';

/** Tags under the plain key that are looked at. */
const MAX_TAGS = 50;
/** Characters of the text that a reason shows. */
const MAX_FOUND = 60;

/** One condition of a rule, ready to be asked, and the clauses that tell how it went. */
export interface Condition {
  holds(question: RuleQuestion): boolean;
  /** Why it holds; tells of the message and its caller only, not what else it would hold for. */
  yes(question: RuleQuestion): string;
  /** Why it does not; for the operator, whose rule it is. */
  no(question: RuleQuestion): string;
}

/** The conditions of a rule, the cheap ones first: the text is searched only when all else holds. */
export function conditionsOf(conditions: RuleConditions, patterns: Patterns): readonly Condition[] {
  const { organizations, scopes, inputTypes, tags, tagMatch = 'any', text, metadata } = conditions;
  return [
    ...(organizations ? [ofOrganizations(organizations)] : []),
    ...(scopes ? [ofScopes(scopes)] : []),
    ...(inputTypes ? [ofInputTypes(inputTypes)] : []),
    ...(tags ? [ofTags(tags, tagMatch)] : []),
    ...Object.entries(metadata ?? {}).map(([path, wanted]) => ofMetadata(path, wanted)),
    ...(text ? [ofText(text, patterns)] : []),
  ];
}

function ofOrganizations(organizations: readonly string[]): Condition {
  const wanted = new Set(organizations);
  return {
    holds: ({ principal }) => wanted.has(principal.organization),
    yes: ({ principal }) => `the organization is "${principal.organization}"`,
    no: ({ principal }) =>
      `the organization is "${principal.organization}", not ${oneOf(organizations)}`,
  };
}

function ofScopes(scopes: NonNullable<RuleConditions['scopes']>): Condition {
  const held = ({ principal }: RuleQuestion): readonly string[] =>
    scopes.filter((scope) => holds(principal.scopes, scope));
  return {
    holds: (question) => held(question).length > 0,
    yes: (question) => `the caller holds the scope ${held(question).join(', ')}`,
    no: () => `the caller does not hold the scope ${scopes.join(' or ')}`,
  };
}

function ofInputTypes(ranges: readonly string[]): Condition {
  const wanted = MediaList.of(ranges);
  return {
    holds: ({ inputTypes }) => wanted.meets(MediaList.of(inputTypes)),
    yes: ({ inputTypes }) => `a part is ${namedList(wanted.takenOf(MediaList.of(inputTypes)))}`,
    no: ({ inputTypes }) =>
      inputTypes.length === 0
        ? `no part has a media type, where ${oneOf(ranges)} is wanted`
        : `the parts are ${MediaList.of(inputTypes).named}, none of them ${oneOf(ranges)}`,
  };
}

function ofTags(tags: readonly string[], match: TagMatch): Condition {
  const wanted = tags.map((tag) => ({ tag, key: tagKey(tag) }));
  const carried = (question: RuleQuestion): readonly string[] => {
    const requested = tagKeysOf(tagsOf(question));
    return wanted.filter(({ key }) => requested.has(key)).map(({ tag }) => tag);
  };
  const list = match === 'all' ? `all of ${tags.join(', ')}` : oneOf(tags);
  return {
    holds: (question) => carried(question).length >= (match === 'all' ? tags.length : 1),
    yes: (question) => `it asks for the tag ${carried(question).join(', ')}`,
    no: (question) => {
      const requested = tagsOf(question);
      const what = requested.length === 0 ? 'no tags' : `the tags ${requested.join(', ')}`;
      return `it asks for ${what}, where ${list} is wanted`;
    },
  };
}

const requestedTags = new WeakMap<RuleQuestion, readonly string[]>();

/**
 * The tags that led to no skill, and those under the plain key `tags` of the metadata: the first 50, without
 * those that are longer than the tags of a message may be. Read once for all rules.
 */
export function tagsOf(question: RuleQuestion): readonly string[] {
  let tags = requestedTags.get(question);
  if (tags === undefined) requestedTags.set(question, (tags = readTags(question)));
  return tags;
}

function readTags({ tags, metadata }: RuleQuestion): readonly string[] {
  const plain = metadata['tags'];
  if (plain === undefined) return tags;
  const list: readonly unknown[] =
    typeof plain === 'string' ? plain.split(',', MAX_TAGS) : asList(plain);
  return [...tags, ...list.slice(0, MAX_TAGS).filter(isTag)];
}

function isTag(value: unknown): value is string {
  return typeof value === 'string' && value.length <= DIRECTIVE_LIMITS.textLength;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function ofMetadata(path: string, wanted: MetadataValue | readonly MetadataValue[]): Condition {
  const values = (Array.isArray(wanted) ? wanted : [wanted]) as readonly MetadataValue[];
  const list = listOf(values);
  const found = (metadata: RuleQuestion['metadata']) => metadataAmong(metadata, path, values);
  return {
    holds: ({ metadata }) => found(metadata).length > 0,
    yes: ({ metadata }) => `its metadata "${path}" is ${listOf(found(metadata))}`,
    no: () => `its metadata "${path}" is not ${list}`,
  };
}

function ofText(condition: TextCondition, patterns: Patterns): Condition {
  const pattern = patterns.of(condition);
  const shown = patternText(condition);
  // Whoever asks whether it holds asks why next: the search is the dear part.
  let last: { readonly text: string; readonly match: string | undefined } | undefined;
  const matchIn = (text: string): string | undefined => {
    if (last?.text !== text) last = { text, match: pattern.find(text) };
    return last.match;
  };
  return {
    holds: ({ text }) => matchIn(text) !== undefined,
    yes: ({ text }) => foundIn(matchIn(text) ?? ''),
    no: ({ text }) =>
      text === '' ? `there is no text that matches ${shown}` : `the text does not match ${shown}`,
  };
}

/** What of the text a pattern matches, on one line and cut short. */
function foundIn(match: string): string {
  const words = match.replace(/\s+/g, ' ').trim();
  if (words === '') return 'the text matches';
  const cut = words.length > MAX_FOUND ? `${words.slice(0, MAX_FOUND)}…` : words;
  return `the text has "${cut}"`;
}

function listOf(values: readonly MetadataValue[]): string {
  return values.map((value) => JSON.stringify(value)).join(' or ');
}

function oneOf(list: readonly string[]): string {
  return list.join(' or ');
}
