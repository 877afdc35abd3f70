import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const page = readFileSync(join(import.meta.dirname, '../../../docs/protocol-versions.md'), 'utf8');
const rows = [...page.matchAll(/^\| `([a-z0-9.-]+)`/gm)].map((match) => match[1]!);

const shown = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.e2e-spec.ts'))
  .flatMap((file) => rowsShownIn(readFileSync(join(import.meta.dirname, file), 'utf8')));

describe('the tables of docs/protocol-versions.md', () => {
  it('name each row once', () => {
    expect(rows.length).toBeGreaterThan(50);
    expect(new Set(rows).size).toBe(rows.length);
  });

  it('have a test for each row', () => {
    expect(rows.filter((row) => !shown.includes(row))).toEqual([]);
  });

  it('have a row for each that a test names', () => {
    expect(shown.filter((row) => !rows.includes(row))).toEqual([]);
  });
});

describe('the rows that a file of tests shows', () => {
  it('are those in the titles of its tests, and the keys of the tables they go through', () => {
    const text = `
      const TABLE = { 'a.first': {}, 'a.second': {} };
      it('b.one, b.two', () => {});
      it.each(DIALECTS)('to an agent of %s: c.one', () => {});
      it.each(Object.entries(TABLE))('%s', () => {});`;
    expect(rowsShownIn(text)).toEqual(['b.one', 'b.two', 'c.one', 'a.first', 'a.second']);
  });

  it('are neither in comments, nor in tables nobody goes through, nor in tests left out', () => {
    // `text` is input of the parser under test: what it shows as left out is no test of this project.
    const leftOut = ['skip', 'todo'].map((how) => `it.${how}('a.${how}', () => {});`);
    const text = `
      // 'a.comment'
      const TABLE = { 'a.unused': {} };
      const name = 'a.text';
      ${leftOut.join('\n')}
      it('a.empty');`;
    expect(rowsShownIn(text)).toEqual([]);
  });
});

/** The rows named by the tests that run: in their titles, or as the keys of the tables of `it.each`. */
function rowsShownIn(text: string): string[] {
  const file = ts.createSourceFile('tests.ts', text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) found.push(...rowsOfTest(node, file));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function rowsOfTest(
  { expression, arguments: [title, body] }: ts.CallExpression,
  file: ts.SourceFile,
): string[] {
  if (!title || !body || !ts.isStringLiteralLike(title)) return [];
  const table = tableOf(expression);
  if (!table && !isNamed(expression, 'it')) return [];
  if (title.text === '%s') return table ? keysOf(table.getText(), file) : [];
  return title.text.split(/[:,] /).filter((word) => /^[a-z]+\.[a-z0-9.-]+$/.test(word));
}

/** What `it.each(…)` goes through. */
function tableOf(expression: ts.Expression): ts.Expression | undefined {
  if (!ts.isCallExpression(expression)) return undefined;
  const { expression: each, arguments: tables } = expression;
  const isEach = ts.isPropertyAccessExpression(each) && each.name.text === 'each';
  return isEach && isNamed(each.expression, 'it') ? tables[0] : undefined;
}

function isNamed(node: ts.Node, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}

/** The keys of the table `NAME` of the file, for `Object.entries(NAME)`. */
function keysOf(entries: string, file: ts.SourceFile): string[] {
  const name = /^Object\.entries\((\w+)\)$/.exec(entries)?.[1];
  const tables = file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .filter((one) => one.name.getText() === name);
  return tables.flatMap(({ initializer }) =>
    initializer && ts.isObjectLiteralExpression(initializer)
      ? initializer.properties.map((member) => (member.name as ts.StringLiteral).text)
      : [],
  );
}
