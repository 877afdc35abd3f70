import { describe, expect, it } from '@jest/globals';
import type { HubError } from '../hub-error.js';
import { Choice, Flag, Int, Nested, Shown, Text } from './fields.js';
import { PageType } from './page-type.js';
import { NAME } from './text-forms.js';
import { adminValidationPipe } from './validation.pipe.js';
import { fill } from './view.js';

class AddressDto {
  @Text({ min: 1, max: 5 })
  street!: string;
}

class PersonDto {
  @Text({ optional: true, like: NAME })
  name?: string;

  @Int({ optional: true, nullable: true, min: 1, max: 9 })
  age?: number | null;

  @Choice(['red', 'blue'], { optional: true, list: { min: 1 } })
  colours?: string[];

  @Text({ optional: true, max: 8, list: { max: 3, unique: true } })
  tags?: string[];

  @Text({ optional: true, list: { unique: true } })
  words?: string[];

  @Flag({ optional: 'or-null' })
  happy?: boolean;

  @Nested(() => AddressDto, { optional: true })
  address?: AddressDto;
}

async function refusalOf(body: object): Promise<string | undefined> {
  return adminValidationPipe()
    .transform(body, { type: 'body', metatype: PersonDto })
    .then(
      () => undefined,
      (error: HubError) => error.message,
    );
}

describe('fields of a request', () => {
  it.each([
    [{}, undefined],
    [{ name: 'Ada', age: 3, colours: ['red'], happy: true, address: { street: 'x' } }, undefined],
    [{ age: null, happy: null }, undefined],
    [
      { name: null },
      'name: must be 1 to 200 characters, not only blanks, without control characters',
    ],
    [{ age: 1.5 }, 'age: must be a whole number'],
    [{ age: 10 }, 'age: must be at most 9'],
    [{ colours: 'red' }, 'colours: must be an array'],
    [{ colours: [] }, 'colours: must not be empty'],
    [{ colours: ['green'] }, 'colours: each must be one of red, blue'],
    [{ colours: null }, 'colours: must be an array'],
    [{ tags: ['a', 'b', 'A'] }, undefined],
    [{ tags: ['a', 'b', 'a'] }, 'tags: must not have an entry twice'],
    [{ tags: 'aa' }, 'tags: must be an array'],
    // Of a list that is too long only that is said.
    [{ tags: ['a', 'a', 'a', 'a'] }, 'tags: must have at most 3 entries'],
    [{ happy: 1 }, 'happy: must be true or false'],
    [{ address: 'x' }, 'address: must be an object'],
    [{ address: { street: '' } }, 'address.street: must not be empty'],
    [{ address: { street: 'longer' } }, 'address.street: must be at most 5 characters long'],
    [{ address: {} }, 'address.street: is required'],
  ])('%j', async (body, refusal) => {
    expect(await refusalOf(body)).toBe(refusal);
  });

  it('are compared with each other in time that grows with their number alone', async () => {
    const words = Array.from({ length: 100_000 }, (_, at) => `w${at}`);
    const before = performance.now();
    expect(await refusalOf({ words })).toBeUndefined();
    expect(await refusalOf({ words: [...words, 'w1'] })).toBe(
      'words: must not have an entry twice',
    );
    // Each with each took 20 s.
    expect(performance.now() - before).toBeLessThan(5000);
  });

  it('makes a nested object one of its class', async () => {
    const body = { address: { street: 'x' } };
    const person = (await adminValidationPipe().transform(body, {
      type: 'body',
      metatype: PersonDto,
    })) as PersonDto;
    expect(person.address).toBeInstanceOf(AddressDto);
  });
});

class KeyDto {
  @Shown.Text()
  readonly id!: string;

  @Shown.Time({ nullable: true })
  readonly endedAt!: string | null;

  constructor(record: { readonly id: string; readonly endedAt: Date | null; secret: string }) {
    fill<KeyDto>(this, record);
  }
}

describe('fields of an answer', () => {
  it('are all that leaves, times as text', () => {
    const shown = new KeyDto({ id: 'a', endedAt: new Date(0), secret: 's' });
    expect({ ...shown }).toEqual({ id: 'a', endedAt: '1970-01-01T00:00:00.000Z' });
    expect(new KeyDto({ id: 'a', endedAt: null, secret: 's' }).endedAt).toBeNull();
  });
});

describe('PageType', () => {
  it('is one class for an item, with its name', () => {
    expect(PageType(KeyDto).name).toBe('KeyPageDto');
    expect(PageType(KeyDto)).toBe(PageType(KeyDto));
  });
});
