import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { ConfigProblem } from './config-error.js';
import { type Members, Section, type SourceKind, writtenName } from './setting.js';
import { SETTINGS } from './settings.js';

/** Keys that were settings once, and what is to be written now. */
const REMOVED: ReadonlyMap<string, string> = new Map([
  [
    'quotas.overrides',
    'is no setting of the hub any more: write its entries as limits.declared, each with an id and storedBytes in bytes; see docs/quotas.md',
  ],
]);

/** A value as it is written. */
export interface Written {
  readonly value: unknown;
  /** The file's path or the variable's name. */
  readonly source: string;
  readonly kind: SourceKind;
}

/**
 * Adds the entries of a YAML or JSON file to `written`, over what is there, and notes unknown keys; `namedBy` says
 * where its path is from when the whole of it is wrong.
 */
export function readConfigFile(
  file: string,
  namedBy: string,
  written: Map<string, Written>,
  problems: ConfigProblem[],
): void {
  let content: unknown;
  try {
    // YAML 1.2 includes JSON.
    content = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // The file is named already.
    const text = (error as Error).message.replace(`, open '${file}'`, '');
    problems.push({ key: file, source: namedBy, text: `cannot be read: ${text}` });
    return;
  }
  if (content === null || content === undefined) return;
  collect(content, SETTINGS, '', { file, namedBy, written, problems });
}

interface Reading {
  readonly file: string;
  readonly namedBy: string;
  readonly written: Map<string, Written>;
  readonly problems: ConfigProblem[];
}

function collect(content: unknown, members: Members, prefix: string, reading: Reading): void {
  const { file, namedBy, written, problems } = reading;
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    const text = `${JSON.stringify(content)} is not a mapping of keys`;
    problems.push(
      prefix === ''
        ? { key: file, source: namedBy, text }
        : { key: prefix.slice(0, -1), source: file, text },
    );
    return;
  }
  const nodes = new Map(
    Object.entries(members).map(([member, node]) => [writtenName(member, node), node]),
  );
  for (const [name, value] of Object.entries(content)) {
    const key = prefix + name;
    const node = nodes.get(name);
    if (node === undefined) {
      const known = [...nodes.keys()].join(', ');
      const text = REMOVED.get(key) ?? `is not a setting of the hub; known here: ${known}`;
      problems.push({ key, source: file, text });
    } else if (!(node instanceof Section)) {
      written.set(key, { value: value as unknown, source: file, kind: 'file' });
      // A mapping with nothing under it (every key commented out) is null in YAML.
    } else if (value !== null) {
      collect(value, node.members, `${key}.`, reading);
    }
  }
}
