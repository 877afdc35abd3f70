import type { DetailedError, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { evictOldest } from '../common/evict-oldest.js';
import { isRecord } from '../common/is-record.js';
import { tagKey } from '../common/tag-key.js';
import { CedarFailure, loadCedar, withCedar } from './cedar.js';
import { CEDAR_SCHEMA, ENTITY_TYPES } from './domain/cedar-schema.js';
import { isTooDeepAsJson, TOO_MANY_OPERATORS, tooDeepIn } from './domain/nesting.js';
import { POLICY_LIMITS } from './domain/policy.js';
import { hasWideNumber, WIDEST } from './domain/wide-numbers.js';
import { nextSlice } from '../common/slices.js';

/** One statement of a policy, as the engine takes it. */
export interface Statement {
  readonly json: PolicyJson;
  readonly effect: 'permit' | 'forbid';
  readonly reason: string | null;
}

/** The statements of a text, or what is wrong with it, as sentences with their places. */
export type ReadText =
  | { readonly statements: readonly Statement[] }
  | { readonly faults: string[] };

/** Statements that are checked in one piece. */
const CHECKED = 5;

/**
 * Reads a text of Cedar and checks it against the schema, in turns with other work: a name, type or operation that there is
 * not, an attribute, a statement that could never apply, and one that the engine could not follow are faults.
 */
export async function readText(text: string): Promise<ReadText> {
  const tooDeep = tooDeepIn(text);
  if (tooDeep !== undefined) {
    const place = placeOf(text, Buffer.byteLength(text.slice(0, tooDeep.at)));
    return { faults: [`${place}: ${tooDeep.description}`] };
  }
  await loadCedar();
  try {
    return await checked(text);
  } catch (error) {
    if (error instanceof CedarFailure) return { faults: [`${error.message}: write it simpler`] };
    throw error;
  }
}

async function checked(text: string): Promise<ReadText> {
  const parts = withCedar((cedar) => cedar.policySetTextToParts(text));
  if (parts.type === 'failure')
    return { faults: parts.errors.map((error) => sentence(error, text)) };
  if (parts.policy_templates.length > 0) {
    return {
      faults: ['holds a template (?principal or ?resource): write the entities themselves'],
    };
  }
  const { policies } = parts;
  if (policies.length === 0) return { faults: ['holds no statement: permit(…); or forbid(…);'] };
  if (policies.length > POLICY_LIMITS.statements) {
    return { faults: [`holds more than ${POLICY_LIMITS.statements} statements`] };
  }
  const places = placesOf(text, policies);
  const statements = await statementsOf(policies);
  const faults = statements.flatMap(({ json }, at) => {
    const fault = faultOfJson(json);
    return fault === undefined ? [] : [`${placeOf(text, places[at]!)}: ${fault}`];
  });
  if (faults.length > 0) return { faults };
  for (let from = 0; from < policies.length; from += CHECKED) {
    await nextSlice();
    faults.push(...misfits(text, policies, places, from));
  }
  if (faults.length > 0) return { faults };
  const wrongTags = statements.flatMap(({ json }) => miswrittenTags(json));
  return wrongTags.length > 0 ? { faults: wrongTags.map(faultOfTag) } : { statements };
}

/** How some of the statements do not fit the schema. */
function misfits(
  text: string,
  policies: readonly string[],
  places: readonly number[],
  from: number,
): string[] {
  const some = policies.slice(from, from + CHECKED).map((each, at) => [`${from + at}`, each]);
  const validated = withCedar((cedar) =>
    cedar.validate({
      schema: CEDAR_SCHEMA,
      policies: { staticPolicies: Object.fromEntries(some) as Record<string, string> },
      validationSettings: { mode: 'strict' },
    }),
  );
  if (validated.type === 'failure') return validated.errors.map((error) => sentence(error, text));
  // Warnings follow from errors; alone they are statements that could never apply.
  const { validationErrors: errors, validationWarnings: warnings } = validated;
  const wrong = errors.length > 0 ? errors : warnings;
  return wrong.map(({ policyId, error }) => sentence(error, text, places[Number(policyId)]));
}

/** Statements remembered by their text. */
const REMEMBERED = 5000;
const known = new Map<string, readonly Statement[] | undefined>();

/** The statements of a text that was checked when it was saved; undefined when it cannot be read. */
export async function statementsIn(text: string): Promise<readonly Statement[] | undefined> {
  if (known.has(text)) return known.get(text);
  try {
    const statements = await parsed(text);
    evictOldest(known, REMEMBERED);
    known.set(text, statements);
    return statements;
  } catch (error) {
    // Read anew when the policies change.
    if (error instanceof CedarFailure) return undefined;
    throw error;
  }
}

async function parsed(text: string): Promise<readonly Statement[] | undefined> {
  if (tooDeepIn(text) !== undefined) return undefined;
  const parts = withCedar((cedar) => cedar.policySetTextToParts(text));
  const isRight = parts.type === 'success' && parts.policy_templates.length === 0;
  if (!isRight) return undefined;
  const statements = await statementsOf(parts.policies);
  const isWrong = ({ json }: Statement): boolean =>
    faultOfJson(json) !== undefined || miswrittenTags(json).length > 0;
  return statements.some(isWrong) ? undefined : statements;
}

async function statementsOf(texts: readonly string[]): Promise<Statement[]> {
  const statements: Statement[] = [];
  for (const text of texts) {
    await nextSlice();
    statements.push(statementOf(text));
  }
  return statements;
}

/** Why a statement that reads well as text does not as JSON, as which the engine is given it. */
function faultOfJson(json: PolicyJson): string | undefined {
  if (isTooDeepAsJson(json)) return TOO_MANY_OPERATORS;
  return hasWideNumber(json) ? `numbers go from -${WIDEST} to ${WIDEST}` : undefined;
}

/** Tags are compared in lower case: a forbid that names one otherwise would never apply. */
function miswrittenTags(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(miswrittenTags);
  if (!isRecord(value)) return [];
  const { type, id } = value;
  const isWrong = type === 'Tag' && typeof id === 'string' && id !== tagKey(id);
  return [...(isWrong ? [id] : []), ...Object.values(value).flatMap(miswrittenTags)];
}

function faultOfTag(tag: string): string {
  return `names Tag::"${tag}", but tags are compared in lower case: write Tag::"${tagKey(tag)}"`;
}

function statementOf(text: string): Statement {
  const read = withCedar((cedar) => cedar.policyToJson(text));
  if (read.type === 'failure')
    throw new Error(read.errors.map(({ message }) => message).join('; '));
  const { json } = read;
  return {
    json,
    effect: json.effect,
    reason: json.annotations?.['reason'] ?? null,
  };
}

/** Where each statement begins in the whole text, in bytes of UTF-8. */
function placesOf(text: string, statements: readonly string[]): number[] {
  let from = 0;
  return statements.map((statement) => {
    const found = text.indexOf(statement, from);
    if (found < 0) return 0;
    from = found + statement.length;
    return Buffer.byteLength(text.slice(0, found));
  });
}

/** What the engine says of statements that could never apply, in plain words. */
const PLAINLY: ReadonlyMap<string, string> = new Map([
  [
    'unable to find an applicable action given the policy scope constraints',
    'the statement could never apply: no operation has such a principal and resource (SendMessage has an agent or a skill as its resource, the others have none to name)',
  ],
  [
    'policy is impossible: the policy expression evaluates to false for all valid requests',
    'the statement could never apply: its condition is false for every caller, agent and skill',
  ],
]);

/** An error of the engine with the line and column of its place; its own name for the statement is left out. */
function sentence(error: DetailedError, text: string, begin = 0): string {
  const start = error.sourceLocations?.[0]?.start;
  const said = error.message.replace(/^for policy `[^`]*`, /, '').replace(/ `policy\d+`/, '');
  const message = PLAINLY.get(said) ?? said;
  const help = [error.help, typesThereAre(said)].filter((each) => each !== null).join('; ');
  return `${start === undefined ? '' : `${placeOf(text, begin + start)}: `}${message}${help === '' ? '' : ` (${help})`}`;
}

/** What could stand in the place of a type that there is not. */
function typesThereAre(said: string): string | null {
  return said.startsWith('unrecognized entity type')
    ? `the types are ${ENTITY_TYPES.join(', ')}`
    : null;
}

/** The engine counts bytes of UTF-8. */
function placeOf(text: string, bytes: number): string {
  const before = Buffer.from(text).subarray(0, bytes).toString();
  const lines = before.split('\n');
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
}
