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
  const description = reading.end();
  return description === undefined ? undefined : { at: text.length, description };
}

/** What stands in one bracket or behind one `if`, as far as it is read. */
class Open {
  /** How deep the expressions in it are that have ended. */
  private ended = 0;
  /** How deep the one that is read is, by the looseness of what joins it: 0 where nothing of that does. */
  private readonly depths = [0, 0, 0, 0, 0, 0];

  constructor(readonly bracket: string) {}

  get depth(): number {
    return Math.max(this.ended, this.joined(this.depths.length - 1));
  }

  /** An operator: all before it that joins as tightly is its left operand. */
  join(looseness: number): void {
    const left = this.joined(looseness);
    this.depths.fill(0, 0, looseness);
    this.depths[looseness] = left + 1;
  }

  /** What stands in a bracket is an operand. */
  put(depth: number): void {
    this.depths[0] = Math.max(this.depths[0]!, depth);
  }

  end(): void {
    this.ended = this.depth;
    this.depths.fill(0);
  }

  private joined(looseness: number): number {
    const [tightest, ...looser] = this.depths.slice(0, looseness + 1);
    return looser.reduce(
      (right, left) => (left === 0 ? right : Math.max(left, right + 1)),
      tightest!,
    );
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

  /** A text that ends too early is a fault, which the engine tells; it reads what there is all the same. */
  end(): string | undefined {
    while (this.open.length > 1) this.pop();
    return this.fault();
  }

  private get innermost(): Open {
    return this.open.at(-1)!;
  }

  private fault(): string | undefined {
    const { nesting, operators } = POLICY_LIMITS;
    if (this.open.length - 1 > nesting) {
      return `brackets and ifs are nested more than ${nesting} deep`;
    }
    return this.innermost.depth > operators ? TOO_MANY_OPERATORS : undefined;
  }

  /** A bracket that closes none that is open is a fault, which the engine tells. */
  private close(bracket: string): void {
    this.endIfs();
    if (this.innermost.bracket === bracket) this.pop();
  }

  private endIfs(): void {
    while (this.innermost.bracket === 'if') this.pop();
  }

  private pop(): void {
    const { depth } = this.open.pop()!;
    this.innermost.put(depth + 1);
  }
}

export const TOO_MANY_OPERATORS = `more than ${POLICY_LIMITS.operators} operators and brackets are each an operand of the next: name many in a set, [Agent::"a", Agent::"b"].contains(resource), or make several statements of it`;

/** How deep the JSON of a statement may be: its reader in the engine takes 128 levels, those around the statement among them. */
const MAX_JSON_DEPTH = 120;

/** Whether the JSON form of a statement is too deep for the engine: what joins is two levels of it, some operators and calls are more. */
export function isTooDeepAsJson(json: unknown, most = MAX_JSON_DEPTH): boolean {
  if (typeof json !== 'object' || json === null) return false;
  return most === 0 || Object.values(json).some((each) => isTooDeepAsJson(each, most - 1));
}
