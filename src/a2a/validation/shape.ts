import { isRecord } from '../../common/is-record.js';
import type { FieldViolation } from '../../common/hub-error.js';
import { snakeCase } from '../../protocol/snake-case.js';

/**
 * What a value of a request may be. A shape checks without changing anything and without allocating
 * while all is well; members it does not name are ignored (A2A §5.7).
 */
export interface Shape {
  /** What is wrong, by the path from this value (`parts[0].text`); undefined when nothing is. */
  check(value: unknown): FieldViolation[] | undefined;
  /** The named members under their camelCase names and nothing else; free-form values as they are. */
  known(value: unknown): unknown;
  /** Of an object: its members by their camelCase names. */
  readonly members?: Readonly<Record<string, Member>>;
  /** What the text of a query parameter stands for; a text that stands for nothing stays as it is. */
  readonly parse?: (text: string) => unknown;
}

/** One member of an object. `null` counts as absent, as in ProtoJSON. */
export interface Member {
  readonly shape: Shape;
  readonly required: boolean;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** No answer lists more faults than this. */
const MAX_VIOLATIONS = 20;

export function required(shape: Shape): Member {
  return { shape, required: true };
}

export function optional(shape: Shape): Member {
  return { shape, required: false };
}

/**
 * A value that a test decides about. `wanted` completes the sentence "must be …"; `parse` is for values
 * that are no strings.
 */
export function leaf(
  wanted: string,
  test: (value: unknown) => boolean,
  parse: (text: string) => unknown = (text) => text,
): Shape {
  return {
    parse,
    check: (value) => (test(value) ? undefined : [{ field: '', description: `must be ${wanted}` }]),
    known: (value) => value,
  };
}

/** An array of `minimum` to `maximum` items. */
export function listOf(item: Shape, minimum: number, maximum: number): Shape {
  return {
    check(value) {
      if (!Array.isArray(value)) return [{ field: '', description: 'must be an array' }];
      if (value.length < minimum) {
        return [{ field: '', description: `must hold at least ${minimum} item` }];
      }
      if (value.length > maximum) {
        return [{ field: '', description: `must hold at most ${maximum} items` }];
      }
      let found: FieldViolation[] | undefined;
      for (let index = 0; index < value.length; index++) {
        const wrong = item.check(value[index]);
        if (wrong === undefined) continue;
        found = [...(found ?? []), ...below(`[${index}]`, wrong)];
        if (found.length >= MAX_VIOLATIONS) break;
      }
      return found;
    },
    known: (value) => (value as unknown[]).map((entry) => item.known(entry)),
  };
}

/**
 * An object whose members are read under their camelCase and their snake_case name (the first that is
 * there wins). `rule` looks at the object when its members are right, one by one.
 */
export function object(
  members: Readonly<Record<string, Member>>,
  rule?: (read: (name: string) => unknown, written: JsonObject) => FieldViolation[] | undefined,
): Shape {
  const entries = Object.entries(members).map(([name, member]) => ({
    name,
    snake: snakeCase(name),
    ...member,
  }));
  const names = new Map(entries.map(({ name, snake }) => [name, snake]));
  return {
    members,
    check(value) {
      if (!isRecord(value)) return [{ field: '', description: 'must be an object' }];
      let found: FieldViolation[] | undefined;
      for (const { name, snake, shape, required: needed } of entries) {
        const member = read(value, name, snake);
        const wrong = member !== undefined ? shape.check(member) : needed ? missing() : undefined;
        if (wrong !== undefined) found = [...(found ?? []), ...below(name, wrong)];
      }
      return found ?? rule?.((name) => read(value, name, names.get(name) ?? name), value);
    },
    known(value) {
      const result: Record<string, unknown> = {};
      for (const { name, snake, shape } of entries) {
        const member = read(value as JsonObject, name, snake);
        if (member !== undefined) result[name] = shape.known(member);
      }
      return result;
    },
  };
}

/** An object whose member `name` says which of the shapes it has. */
export function oneOf(name: string, shapes: Readonly<Record<string, Shape>>): Shape {
  const cases = new Map(Object.entries(shapes));
  const wanted = [...cases.keys()].join(', ');
  const shapeOf = (value: unknown): Shape | undefined => {
    const kind = isRecord(value) ? value[name] : undefined;
    return typeof kind === 'string' ? cases.get(kind) : undefined;
  };
  return {
    check(value) {
      if (!isRecord(value)) return [{ field: '', description: 'must be an object' }];
      const shape = shapeOf(value);
      if (shape === undefined) return [{ field: name, description: `must be one of ${wanted}` }];
      return shape.check(value);
    },
    known: (value) => ({
      [name]: (value as JsonObject)[name],
      ...(shapeOf(value)?.known(value) as object),
    }),
  };
}

function read(value: JsonObject, name: string, snake: string): unknown {
  return value[name] ?? value[snake] ?? undefined;
}

function missing(): FieldViolation[] {
  return [{ field: '', description: 'is required' }];
}

function below(parent: string, found: readonly FieldViolation[]): FieldViolation[] {
  return found.map(({ field, description }) => ({
    field: field === '' ? parent : `${parent}${field.startsWith('[') ? '' : '.'}${field}`,
    description,
  }));
}
