import { POLICY_LIMITS } from './policy.js';

/** What is too much in a text, and where it is: an index into it. */
export interface TooDeep {
  readonly at: number;
  readonly description: string;
}

/** Strings and comments whole, so that what stands in them does not count; then what nests, ends or joins expressions. */
const TOKENS = /"(?:\\.|[^"\\])*"?|\/\/[^\n\r]*|\w+|&&|\|\||[()[\]{};,.+*-]/gsu;
const CLOSES: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);
const JOINS: ReadonlySet<string> = new Set(['&&', '||', '.', '+', '-', '*', '[']);

/**
 * What in a text of Cedar is nested too deeply, or joined from too many pieces, for the engine to read: it keeps no count itself, runs out of
 * stack and fails. Undefined for a text that it can read, or say itself what is wrong with it.
 */
export function tooDeepIn(text: string): TooDeep | undefined {
  const reading = new Reading();
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const description = reading.read(token);
    if (description !== undefined) return { at: index, description };
  }
  return undefined;
}

class Reading {
  /** The brackets and the `if`s that are open: an `if` is until the expression that it begins ends. */
  private readonly open: string[] = [];
  private joins = 0;

  read(token: string): string | undefined {
    if (token === 'if' || token === '(' || token === '[' || token === '{') this.open.push(token);
    else if (token === ',') this.endIfs();
    else if (CLOSES.has(token)) this.close(CLOSES.get(token)!);
    if (token === ';' && this.open.length === 0) this.joins = 0;
    if (JOINS.has(token)) this.joins += 1;
    if (this.open.length > POLICY_LIMITS.nesting) {
      return `brackets and ifs are nested more than ${POLICY_LIMITS.nesting} deep`;
    }
    if (this.joins > POLICY_LIMITS.joins) {
      return `the statement joins more than ${POLICY_LIMITS.joins} expressions: make several of it`;
    }
    return undefined;
  }

  /** A bracket that closes none that is open is a fault, which the engine tells. */
  private close(bracket: string): void {
    this.endIfs();
    if (this.open.at(-1) === bracket) this.open.pop();
  }

  private endIfs(): void {
    while (this.open.at(-1) === 'if') this.open.pop();
  }
}

/** How many objects and lists of a value are within each other, counted no further than `most` + 1. */
export function depthOf(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (most === 0) return 1;
  let deepest = 0;
  for (const each of Object.values(value)) deepest = Math.max(deepest, depthOf(each, most - 1));
  return deepest + 1;
}
