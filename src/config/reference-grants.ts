import { isRecord } from '../common/is-record.js';
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

/** A setting that lists them: texts, or `{allow, organizations}`. */
export function referenceGrants(
  kind: GrantKind,
  options: SettingOptions<readonly ReferenceGrant[]>,
): Setting<readonly ReferenceGrant[]> {
  const faultsOf = (input: unknown): string[] =>
    Array.isArray(input) ? input.flatMap((each, index) => faultOf(kind, each, index)) : [];
  return new Setting<readonly ReferenceGrant[]>(
    { ...options, faults: faultsOf },
    `a list, each ${FORMS[kind][1]}, or {allow, organizations}`,
    (input, source) => {
      const list = source === 'environment' && typeof input === 'string' ? split(input) : input;
      return Array.isArray(list) && faultsOf(list).length === 0 ? list.map(grantOf) : undefined;
    },
    (grants) =>
      grants.map(({ allow, organizations }) =>
        organizations.length === 0 ? allow : { allow, organizations },
      ),
  );
}

function split(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function faultOf(kind: GrantKind, written: unknown, index: number): string[] {
  const { allow, organizations, ...more } = membersOf(written);
  const [form, wording] = FORMS[kind];
  const faults = Object.keys(more).map((name) => `.${name}: is not a member`);
  const bare = typeof allow === 'string' ? allow.replaceAll(PLACEHOLDER, 'o') : '';
  if (!form.test(bare) || /[{}]/.test(bare)) faults.push(`: is not ${wording}`);
  const isList = Array.isArray(organizations) && organizations.every((one) => isName(one));
  if (organizations !== undefined && !isList) {
    faults.push('.organizations: is not a list of names of organizations');
  }
  return faults.map((fault) => `[${index}]${fault}`);
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
