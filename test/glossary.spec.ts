import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/** Private words that gave way to a term of the field, with that term. They stand nowhere, comments and docs included. */
const RETIRED: Readonly<Record<string, string>> = {
  alongside: 'enlisted (work in the same transaction)',
  bell: 'notification, waiter',
  deaf: 'stale, not subscribed',
  door: 'binding, transport',
  doors: 'bindings, transports',
  farewell: 'cancel propagation',
  footing: 'status, tier',
  forgave: 'tolerated',
  forgive: 'tolerate (a deviation)',
  forgiven: 'tolerated (a deviation)',
  forgives: 'tolerates (a deviation)',
  intake: 'limits, registration check, read-ahead buffer',
  lane: 'delivery stream',
  lanes: 'delivery streams',
  parked: 'queued, set aside',
  parking: 'enqueue',
  parkings: 'enqueues',
  quirk: 'deviation (from the protocol)',
  quirks: 'deviations (from the protocol)',
  rang: 'notified',
  ring: 'notify',
  rings: 'notifies',
  rung: 'notified',
  territory: 'base path',
  territories: 'base paths',
  trial: 'half-open probe, dry run',
  trials: 'half-open probes, dry runs',
  tidy: 'clean up',
  untold: 'pending',
  upkeep: 'cleanup, retention',
  wish: 'option, request',
  wishes: 'options, requests',
};

/** Words that are plain English in a comment, but not what something is called, logged or described as. */
const NOT_IN_CODE: Readonly<Record<string, string>> = {
  chance: 'random, jitter',
  heard: 'received, notified',
  hears: 'has listeners',
  nobody: 'no agent, no one in particular: name what is missing',
  room: 'capacity, reservation, permits, size limit',
  rooms: 'capacity, reservations, permits',
  standing: 'health, status, condition',
  tell: 'notify, report',
  tells: 'notifies, reports, shows',
  told: 'notified, reported',
  whom: 'name the role: caller, owner, receiver',
};

/** Words that may be in a sentence, but in no identifier. */
const NOT_IN_NAMES: Readonly<Record<string, string>> = {
  asked: 'requested',
  settle: 'record, resolve, reconcile',
  settled: 'recorded, resolved, reconciled',
  unsettled: 'pending',
};

/** Lists of words, and names that are not the hub's own. */
const EXEMPT = ['src/routing/domain/text-words.ts'];
const FOREIGN = /\ballSettled\b/g;

const STRING = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:\\])\/\/[^\n]*/;
const STRINGS_AND_COMMENTS = new RegExp(`${STRING.source}|${COMMENT.source}`, 'g');

function files(...paths: readonly string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...paths], {
    encoding: 'utf8',
  });
  return listed.split('\n').filter((file) => file !== '' && !EXEMPT.includes(file));
}

/** The words of a text, those within camelCase, snake_case and kebab-case too. */
function wordsOf(text: string): Set<string> {
  const words = text.replace(FOREIGN, '').match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return new Set(words.map((word) => word.toLowerCase()));
}

function withoutComments(code: string): string {
  return code.replace(STRINGS_AND_COMMENTS, (part) => (part.startsWith('/') ? '' : part));
}

function namesIn(code: string): string {
  return code.replace(STRINGS_AND_COMMENTS, '');
}

/** What to write instead of each retired word that is found. */
function complaints(file: string, text: string, words: Readonly<Record<string, string>>): string[] {
  const found = wordsOf(text);
  return Object.entries(words)
    .filter(([word]) => found.has(word))
    .map(([word, instead]) => `${file}: not "${word}", but ${instead}`);
}

function complaintsIn(
  file: string,
  words: Readonly<Record<string, string>>,
  partOf = (text: string): string => text,
): string[] {
  return complaints(file, partOf(readFileSync(file, 'utf8')), words);
}

const code = files('src').filter((file) => file.endsWith('.ts'));
const shipped = code.filter((file) => !file.endsWith('.spec.ts'));
const docs = [
  ...files('docs', 'README.md', 'AGENTS.md').filter((file) => file.endsWith('.md')),
  'config/default.yaml',
];

describe('retired words', () => {
  it('are in no name of a file', () => {
    const all = { ...RETIRED, ...NOT_IN_CODE, ...NOT_IN_NAMES };
    expect(files('src', 'test', 'docs').flatMap((file) => complaints(file, file, all))).toEqual([]);
  });

  it('are in no code, comment or document', () => {
    expect([...docs, ...code].flatMap((file) => complaintsIn(file, RETIRED))).toEqual([]);
  });

  it('name and describe nothing: no identifier, log line, text of the API or setting', () => {
    expect(shipped.flatMap((file) => complaintsIn(file, NOT_IN_CODE, withoutComments))).toEqual([]);
  });

  it('are no identifiers', () => {
    expect(shipped.flatMap((file) => complaintsIn(file, NOT_IN_NAMES, namesIn))).toEqual([]);
  });

  it('are found in every way of writing them', () => {
    const written = ['aLane', 'lane_id', 'LANE', 'two-lanes', 'laneOf()', 'A lane.'];
    for (const text of written) expect(complaints('f', text, RETIRED)).toHaveLength(1);
    expect(complaints('f', 'planes, airplane, string, wished', RETIRED)).toEqual([]);
    expect(complaints('f', 'await Promise.allSettled([])', NOT_IN_NAMES)).toEqual([]);
    expect(withoutComments("a(); // nobody\nb('it is told'); /* room */")).toBe(
      "a(); \nb('it is told'); ",
    );
    expect(namesIn("asked('asked'); // asked")).toBe('asked(); ');
  });
});
