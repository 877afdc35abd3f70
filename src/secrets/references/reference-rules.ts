import { realpathSync } from 'node:fs';
import type { Grantee } from '../../common/secret-references/referred-secret.js';
import type {
  ReferenceScheme,
  SecretReference,
} from '../../common/secret-references/secret-reference.js';
import type { ReferenceGrant } from '../../config/index.js';

/** The settings `secrets.references`. */
export type ReferenceGrants = Readonly<
  Record<'env' | 'files' | 'vault' | 'aws', readonly ReferenceGrant[]>
>;

const LISTS: Readonly<Record<ReferenceScheme, keyof ReferenceGrants>> = {
  env: 'env',
  file: 'files',
  vault: 'vault',
  aws: 'aws',
};

/** The hub's own settings: nobody refers to those. */
const OWN_VARIABLES = /^A2A_HUB/i;
const PLACEHOLDER = '{organization}';
/** Organizations whose names can be part of a path or a name: nothing in them leads elsewhere. */
const PLAIN_NAME = /^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]*$/;
/** What of a path can be such a name, with what stands beside it. */
const PLACE = /^[A-Za-z0-9._-]*/;
const ANY_ORGANIZATION = '*';

/** Who may refer to what: `secrets.references`, of which a reference in the configuration needs nothing. */
export class ReferenceRules {
  constructor(private readonly grants: ReferenceGrants) {}

  /** Why who set it may not refer to it, to follow the name of a field; undefined when it may. */
  refusalOf(reference: SecretReference, grantee: Grantee): string | undefined {
    if (grantee === 'configuration') return undefined;
    const list = LISTS[reference.scheme];
    const isOwn = reference.scheme === 'env' && OWN_VARIABLES.test(reference.path);
    if (!isOwn && this.allowing(reference, grantee).length > 0) return undefined;
    return `may not refer to ${reference.text}: the setting secrets.references.${list} does not allow it${forOrganization(grantee)}`;
  }

  /**
   * Why a file may not be read by the path at which it really is, behind all links: it has to be in the directory that
   * allows its reference.
   */
  refusalOfFile(reference: SecretReference, grantee: Grantee, real: string): string | undefined {
    if (grantee === 'configuration') return undefined;
    const isInside = this.allowing(reference, grantee).some((allow) =>
      isBelow(real, realPathOf(allow)),
    );
    return isInside
      ? undefined
      : 'leads out of the directories that the setting secrets.references.files allows';
  }

  /** What allows it, with the name of the organization in its place. */
  private allowing({ scheme, path }: SecretReference, grantee: Grantee): string[] {
    return this.grants[LISTS[scheme]].flatMap((grant) => {
      const allow = writtenFor(grant, grantee, path);
      return allow !== undefined && MATCHES[scheme](path, allow) ? [allow] : [];
    });
  }
}

const MATCHES: Readonly<Record<ReferenceScheme, (path: string, allow: string) => boolean>> = {
  env: isNamed,
  aws: isNamed,
  file: isBelow,
  vault: (path, allow) => path === allow || isBelow(path, allow),
};

/** What a grant allows a grantee; undefined: nothing. */
function writtenFor(
  { allow, organizations }: ReferenceGrant,
  grantee: Grantee,
  path: string,
): string | undefined {
  const isTemplate = allow.includes(PLACEHOLDER);
  if (typeof grantee === 'string') return isTemplate ? filledIn(allow, path) : allow;
  const { organization } = grantee;
  const named = organizations.includes(organization) || organizations.includes(ANY_ORGANIZATION);
  // A place of its own is for every organization, unless it says for which.
  if (!named && !(isTemplate && organizations.length === 0)) return undefined;
  if (!isTemplate) return allow;
  return PLAIN_NAME.test(organization) ? allow.replaceAll(PLACEHOLDER, organization) : undefined;
}

/** For administrators of the whole hub: the template with the organization that the path has in its place. */
function filledIn(allow: string, path: string): string | undefined {
  const [before = '', behind = ''] = allow.split(PLACEHOLDER);
  if (!path.startsWith(before)) return undefined;
  const [place] = PLACE.exec(path.slice(before.length))!;
  const [end] = PLACE.exec(behind)!;
  if (!place.endsWith(end)) return undefined;
  const organization = place.slice(0, place.length - end.length);
  return PLAIN_NAME.test(organization) ? allow.replaceAll(PLACEHOLDER, organization) : undefined;
}

function isNamed(name: string, allow: string): boolean {
  return allow.endsWith('*') ? name.startsWith(allow.slice(0, -1)) : name === allow;
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(`${directory}/`);
}

/** A directory may be behind a link itself. */
function realPathOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

function forOrganization(grantee: Grantee): string {
  return typeof grantee === 'string' ? '' : ` for the organization ${grantee.organization}`;
}
