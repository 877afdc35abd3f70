import { describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsInt,
  IsObject,
  IsString,
  Max,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { adminValidationPipe } from './validation.pipe.js';

class Entry {
  @IsInt()
  @Max(9)
  count!: number;
}

class Holder {
  @IsObject()
  @ValidateNested()
  @Type(() => Entry)
  entry!: Entry;
}

class Body {
  @IsString()
  @MaxLength(3)
  name!: string;

  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(5)
  @ValidateNested({ each: true })
  @Type(() => Entry)
  entries!: Entry[];
}

const check = (body: unknown): Promise<unknown> =>
  adminValidationPipe().transform(body, { type: 'body', metatype: Body });

describe('adminValidationPipe', () => {
  it.each([[[1]], [[null]], [[]], [1]])('says of %j that it must be an object', async (entry) => {
    const holder = adminValidationPipe().transform({ entry }, { type: 'body', metatype: Holder });
    await expect(holder).rejects.toThrow('entry: must be an object');
  });

  it.each(['constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'])(
    'refuses a member %s at any depth, which would be lost on the way',
    async (name) => {
      const member = `{"${name}":"x"}`;
      for (const [text, field] of [
        [`{"name":"n","entries":[{"count":1}],"${name}":1}`, name],
        [
          `{"name":"n","entries":[{"count":1},{"count":1,"more":${member}}]}`,
          `entries[1].more.${name}`,
        ],
      ] as const) {
        await expect(check(JSON.parse(text))).rejects.toMatchObject({
          reason: 'INVALID_PARAMS',
          message: `${field}: is no name for a member`,
          violations: [{ field, description: 'is no name for a member' }],
        });
      }
      const query = adminValidationPipe().transform(
        Object.assign(Object.create(null), JSON.parse(member)),
        { type: 'query', metatype: Body },
      );
      await expect(query).rejects.toThrow(`${name}: is no name for a member`);
    },
  );

  it('finds nothing under an id with U+0000, which PostgreSQL refuses to look for', async () => {
    const look = (id: string): Promise<unknown> =>
      adminValidationPipe().transform(id, { type: 'param', metatype: String, data: 'agentId' });
    await expect(look('a\0')).rejects.toMatchObject({
      reason: 'NOT_FOUND',
      message: 'No agentId holds U+0000.',
    });
    expect(await look('a')).toBe('a');
  });

  it('gives an instance of the DTO', async () => {
    const body = await check({ name: 'n', entries: [{ count: 1 }] });
    expect(body).toBeInstanceOf(Body);
  });

  it.each([
    ['what is absent', {}, ['name: is required', 'entries: is required']],
    [
      'what has a wrong type',
      { name: 4, entries: 'x' },
      ['name: must be a string', 'entries: must be an array'],
    ],
    [
      'a wrong type further down',
      { name: 'n', entries: [{ count: '4' }, {}] },
      ['entries[0].count: must be a whole number', 'entries[1].count: is required'],
    ],
    [
      'a wrong value',
      { name: 'long', entries: [] },
      ['name: must be at most 3 characters long', 'entries: must not be empty'],
    ],
  ])('says one thing of %s', async (_, body, faults) => {
    await expect(check(body)).rejects.toMatchObject({ message: faults.join('; ') });
  });

  it.each([[[]], ['x'], [5], [null]])(
    'says of the body %j that it must be an object',
    async (body) => {
      await expect(check(body)).rejects.toMatchObject({
        reason: 'INVALID_PARAMS',
        message: 'The body must be a JSON object.',
      });
    },
  );

  it('names every field at fault by its path', async () => {
    const refused = check({ name: 1, entries: [{ count: 1 }, { count: 'x', more: 1 }], extra: 1 });
    await expect(refused).rejects.toMatchObject({
      reason: 'INVALID_PARAMS',
      violations: expect.arrayContaining([
        { field: 'name', description: 'must be a string' },
        { field: 'entries[1].count', description: 'must be a whole number' },
        { field: 'entries[1].more', description: 'is not known here; known: count' },
        { field: 'extra', description: 'is not known here; known: name, entries' },
      ]),
    });
  });

  it('says which member is meant by one that is misspelled', async () => {
    await expect(check({ nam: 'n', entries: [{ count: 1 }] })).rejects.toMatchObject({
      violations: expect.arrayContaining([
        {
          field: 'nam',
          description: 'is not known here (is name meant?); known: name, entries',
        },
      ]),
    });
  });
});
