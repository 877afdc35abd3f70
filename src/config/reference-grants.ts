import { isRecord } from '../common/is-record.js';
import { readList } from './setting-kinds.js';
import { Setting, type SettingOptions } from './setting.js';

/** What may be referred to through the API. */
export interface ReferenceGrant {
  /**
   * A name, or the beginning of names and `*` (`AGENT_*`); a directory or a path of Vault stands for what is below it.
   * `{organization}` in it stands for the name of the organization that refers to it.
   */
  readonly allow: string;
  /** Who may beside administrators of the whole hub: teams of these organizations; `*`: of all. */
  readonly organizations: readonly string[];
}

type GrantKind = 'name' | 'directory' | 'path';

const FORMS: Readonly<Record<GrantKind, readonly [RegExp, string]>> = {
  name: [/^(?!\*)[\w/+=.@:!{}-]{1,500}\*?$/, 'a name, or the beginning of names followed by *'],
  directory: [
    /^\/(?!.*\/\.{0,2}(\/|$))[^\p{Cc}*]{1,500}$/u,
    'the absolute path of a directory, without . and .. in it and no final /',
  ],
  path: [
    /^(?!.*(^|\/)\.{0,2}(\/|$))[\w.@~+=/{}-]{1,500}$/,
    'a path below the mount, without / at its ends',
  ],
};
const PLACEHOLDER = '{organization}';
/** What no name has of an organization that a template stands for. */
const SEPARATOR = /[^A-Za-z0-9._-]/;
const OPEN_END =
  ': would give an organization acme what is of acme-eu, too: between {organization} and * has to be one of / : @ + = !, as in {organization}/*; without one, write whole names such as TEAM_{organization}_TOKEN';
const OVERLAP =
  ', gives an organization what is of another: write the same before and behind {organization} in both, or / on both sides of it';

/** A setting that lists them: texts, or `{allow, organizations}`. */
export function referenceGrants(
  kind: GrantKind,
  options: SettingOptions<readonly ReferenceGrant[]>,
): Setting<readonly ReferenceGrant[]> {
  const faultsOf = (input: unknown): string[] => {
    const list = readList(input, 'environment') ?? [];
    const faults = list.flatMap((each, index) => faultOf(kind, each, index));
    return faults.length > 0 ? faults : overlaps(kind, list);
  };
  return new Setting<readonly ReferenceGrant[]>(
    { ...options, faults: faultsOf },
    `a list, each ${FORMS[kind][1]}, or {allow, organizations}`,
    (input, source) => {
      const list = readList(input, source);
      return list !== undefined && faultsOf(list).length === 0 ? list.map(grantOf) : undefined;
    },
    (grants) =>
      grants.map(({ allow, organizations }) =>
        organizations.length === 0 ? allow : { allow, organizations },
      ),
  );
}

function faultOf(kind: GrantKind, written: unknown, index: number): string[] {
  const { allow, organizations, ...more } = membersOf(written);
  const [form, wording] = FORMS[kind];
  const faults = Object.keys(more).map((name) => `.${name}: is not a member`);
  const bare = typeof allow === 'string' ? allow.replaceAll(PLACEHOLDER, 'o') : '';
  if (!form.test(bare) || /[{}]/.test(bare)) faults.push(`: is not ${wording}`);
  else if (hasOpenEnd(String(allow))) faults.push(OPEN_END);
  const isList = Array.isArray(organizations) && organizations.every((one) => isName(one));
  if (organizations !== undefined && !isList) {
    faults.push('.organizations: is not a list of names of organizations');
  }
  return faults.map((fault) => `[${index}]${fault}`);
}

/** Names of organizations have - . and _ in them: with what may follow, one of them can be the beginning of another. */
function hasOpenEnd(allow: string): boolean {
  const [, ...behind] = allow.split(PLACEHOLDER);
  return behind.length > 0 && allow.endsWith('*') && !SEPARATOR.test(behind.join('').slice(0, -1));
}

/** Templates that give two organizations the same: `a-{organization}` and `{organization}-b` both give `a-x-b`. */
function overlaps(kind: GrantKind, list: readonly unknown[]): string[] {
  const templates = list.map((each) => partsOf(String(membersOf(each)['allow'])));
  return templates.flatMap((one, index) => {
    const first = templates.findIndex((other) => one && other && overlap(kind, one, other));
    return first < 0 || first > index ? [] : [`[${index}]: with [${first}]${OVERLAP}`];
  });
}

/** What stands around the placeholder: in its place between two separators, and before and behind these. */
interface Template {
  readonly before: string;
  readonly start: string;
  readonly end: string;
  readonly behind: string;
}

function partsOf(allow: string): Template | undefined {
  const match = /^(.*?)([\w.-]*)\{organization\}([\w.-]*)(.*)$/s.exec(allow);
  if (match === null) return undefined;
  const [, before = '', start = '', end = '', behind = ''] = match;
  return { before, start, end, behind };
}

function overlap(kind: GrantKind, one: Template, other: Template): boolean {
  const isSame = one.start === other.start && one.end === other.end;
  if (isSame || one.before !== other.before) return false;
  const [start, longerStart] = byLength(one.start, other.start);
  const [end, longerEnd] = byLength(one.end, other.end);
  return (
    longerStart.startsWith(start) &&
    longerEnd.endsWith(end) &&
    (isWithin(kind, one.behind, other.behind) || isWithin(kind, other.behind, one.behind))
  );
}

function isWithin(kind: GrantKind, behind: string, other: string): boolean {
  if (kind !== 'name') return `${behind}/`.startsWith(`${other}/`);
  return other.endsWith('*') ? behind.startsWith(other.slice(0, -1)) : behind === other;
}

function byLength(one: string, other: string): [string, string] {
  return one.length <= other.length ? [one, other] : [other, one];
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= 200;
}

function grantOf(written: unknown): ReferenceGrant {
  const { allow, organizations = [] } = membersOf(written);
  return { allow: String(allow), organizations: organizations as readonly string[] };
}

function membersOf(written: unknown): Record<string, unknown> {
  return isRecord(written) ? written : { allow: written };
}
