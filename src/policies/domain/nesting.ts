import { POLICY_LIMITS } from './policy.js';

/** What is too much in a text, and where it is: an index into it. */
export interface TooDeep {
  readonly at: number;
  readonly description: string;
}

/** Strings and comments whole, so that what stands in them does not count; then what nests, ends or joins expressions. */
const TOKENS = /"(?:\\.|[^"\\])*"?|\/\/[^\n\r]*|\w+|&&|\|\||[=!<>]=|[<>()[\]{};,.+*-]/gsu;
const CLOSES: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);
/** How loosely operators join: one begins those that join more tightly anew. */
const LOOSENESS: ReadonlyMap<string, number> = new Map([
  ...['.', '['].map((token) => [token, 0] as const),
  ['*', 1],
  ...['+', '-'].map((token) => [token, 2] as const),
  ...['==', '!=', '<', '<=', '>', '>=', 'in', 'has', 'like', 'is'].map(
    (token) => [token, 3] as const,
  ),
  ['&&', 4],
  ['||', 5],
]);
/** These end an expression and begin another. */
const ENDS: ReadonlySet<string> = new Set([',', ';', 'if', 'then', 'else', 'when', 'unless']);

/**
 * What in a text of Cedar is nested too deeply, or joined from too many operands, for the engine to read: it keeps no count itself, runs out of
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

/** An expression that is not at its end: what it stands in, and its operators by their looseness. */
class Open {
  private readonly operators = [0, 0, 0, 0, 0, 0];

  constructor(readonly bracket: string) {}

  get depth(): number {
    return this.operators.reduce((sum, each) => sum + each, 0);
  }

  join(looseness: number): void {
    this.operators.fill(0, 0, looseness);
    this.operators[looseness]! += 1;
  }

  end(): void {
    this.operators.fill(0);
  }
}

class Reading {
  /** The brackets and the `if`s that are open, from the outermost: an `if` is until the expression that it begins ends. */
  private readonly open = [new Open('')];

  read(token: string): string | undefined {
    if (CLOSES.has(token)) this.close(CLOSES.get(token)!);
    if (token === ',') this.endIfs();
    const looseness = LOOSENESS.get(token);
    if (looseness !== undefined) this.innermost.join(looseness);
    else if (ENDS.has(token)) this.innermost.end();
    if (['if', '(', '[', '{'].includes(token)) this.open.push(new Open(token));
    return this.fault();
  }

  private get innermost(): Open {
    return this.open.at(-1)!;
  }

  private fault(): string | undefined {
    const { nesting, operators } = POLICY_LIMITS;
    const nested = this.open.length - 1;
    if (nested > nesting) return `brackets and ifs are nested more than ${nesting} deep`;
    const joined = this.open.reduce((sum, each) => sum + each.depth, 0);
    return nested + joined > operators ? TOO_MANY_OPERATORS : undefined;
  }

  /** A bracket that closes none that is open is a fault, which the engine tells. */
  private close(bracket: string): void {
    this.endIfs();
    if (this.innermost.bracket === bracket) this.open.pop();
  }

  private endIfs(): void {
    while (this.innermost.bracket === 'if') this.open.pop();
  }
}

const TOO_MANY_OPERATORS = `more than ${POLICY_LIMITS.operators} operators and brackets are each an operand of the next: name many in a set, [Agent::"a", Agent::"b"].contains(resource), or make several statements of it`;
