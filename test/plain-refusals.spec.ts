import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { getMetadataStorage } from 'class-validator';
import '../src/app.module.js';
import type { HubError } from '../src/common/hub-error.js';
import { adminValidationPipe } from '../src/common/http/validation.pipe.js';

type Rules = ReadonlyMap<new () => object, readonly { readonly propertyName: string }[]>;

/** Every DTO there is, those of other tests too; the library has no public list of what it knows. */
const { validationMetadatas } = getMetadataStorage() as unknown as { validationMetadatas: Rules };
const CLASS = /^(?:export )?(?:abstract )?class (\w+)/gm;
const SOURCES = join(import.meta.dirname, '../src');
const OF_THE_HUB = new Set(
  readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .flatMap((file) => [...readFileSync(join(SOURCES, file), 'utf8').matchAll(CLASS)])
    .map(([, name]) => name),
);

const many = (entry: unknown): unknown[] => Array.from({ length: 1001 }, () => entry);
const WRONG = [
  ...[7, 1e12, -1e12, 1.5, true, null, '', 'x', 'x'.repeat(20_000)],
  ...[{}, [], [7], [''], [{}], [null], ['x', 'x'], many('x'), many({})],
];

/** Phrases of the library, which say how it works and not what is wanted. */
const FOREIGN =
  /following values|conforming|integer number|URL address|either object|boolean value|should |element|than or equal|greater than|less than|valid ISO|regular expression|unknown value|each value in|property /;

async function wordsOf(metatype: new () => object, member: string): Promise<string[]> {
  const said = new Set<string>();
  for (const value of WRONG) {
    const body = { [member]: value };
    await adminValidationPipe()
      .transform(body, { type: 'body', metatype })
      .catch(({ violations }: HubError) => {
        for (const { description } of violations) said.add(description);
      });
  }
  return [...said];
}

it('every member of every body and query says what it wants, in plain words', async () => {
  const words: string[] = [];
  for (const [dto, rules] of validationMetadatas) {
    if (!OF_THE_HUB.has(dto.name)) continue;
    for (const member of new Set(rules.map(({ propertyName }) => propertyName))) {
      words.push(...(await wordsOf(dto, member)).map((each) => `${dto.name}.${member}: ${each}`));
    }
  }
  expect(words.length).toBeGreaterThan(200);
  expect(words.filter((each) => FOREIGN.test(each.slice(each.indexOf(': '))))).toEqual([]);
  const form = /: (each )?(must (be|not be|hold|have|not have) |is (required$|not known here))/;
  expect(words.filter((each) => !form.test(each))).toEqual([]);
}, 120_000);
