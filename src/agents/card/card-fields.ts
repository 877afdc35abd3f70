import { isRecord } from '../../common/is-record.js';
import { invalidField } from '../../common/hub-error.js';

export type Json = Readonly<Record<string, unknown>>;

/** The object without one member. */
export function without(json: Json, name: string): Json {
  return Object.fromEntries(Object.entries(json).filter(([each]) => each !== name));
}

/**
 * Reads members of a card that others wrote. A member that is absent (or null) has a default; one of
 * the wrong type is an error that names it (`card.skills[1].tags`).
 */
export class CardFields {
  constructor(
    private readonly json: Json,
    private readonly path: string,
  ) {}

  has(name: string): boolean {
    return this.json[name] !== undefined && this.json[name] !== null;
  }

  /** A text that must be there and not be empty. */
  required(name: string): string {
    const value = this.text(name);
    if (value === '') throw this.wrong(name, 'is required');
    return value;
  }

  text(name: string): string {
    const value = this.json[name] ?? '';
    if (typeof value !== 'string') throw this.wrong(name, 'must be a string');
    return value;
  }

  flag(name: string): boolean | undefined {
    const value = this.json[name] ?? undefined;
    if (value !== undefined && typeof value !== 'boolean') {
      throw this.wrong(name, 'must be true or false');
    }
    return value;
  }

  texts(name: string): string[] {
    const value = this.json[name] ?? [];
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) {
      throw this.wrong(name, 'must be an array of strings');
    }
    return value;
  }

  object(name: string): CardFields {
    return new CardFields(this.raw(name), `${this.path}.${name}`);
  }

  /** An object as it is; empty when absent. */
  raw(name: string): Json {
    const value = this.json[name] ?? {};
    if (!isRecord(value)) throw this.wrong(name, 'must be an object');
    return value;
  }

  objects(name: string): CardFields[] {
    const value = this.json[name] ?? [];
    if (!Array.isArray(value)) throw this.wrong(name, 'must be an array');
    return value.map((one, index) => {
      if (!isRecord(one)) throw this.wrong(`${name}[${index}]`, 'must be an object');
      return new CardFields(one, `${this.path}.${name}[${index}]`);
    });
  }

  /** The object these fields are read from. */
  get source(): Json {
    return this.json;
  }

  wrong(name: string, description: string): Error {
    return invalidField(`${this.path}.${name}`, description);
  }
}
