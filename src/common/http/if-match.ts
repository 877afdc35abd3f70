import { HubError, invalidField } from '../hub-error.js';

/** The entity tag of a version. */
export function versionTag(version: number): string {
  return `"${version}"`;
}

/**
 * The versions that an `If-Match` header allows (RFC 9110 §13.1.1); undefined: any, as without a header.
 * Throws HubError INVALID_PARAMS for what is not a list of versions.
 */
export function versionsWanted(header: string | undefined): readonly number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  return header.split(',').map((tag) => {
    const version = /^\s*"([1-9]\d{0,8})"\s*$/.exec(tag)?.[1];
    if (version === undefined) {
      throw invalidField('If-Match', 'must be the ETag of a version in quotes, such as "3"');
    }
    return Number(version);
  });
}

/** Throws HubError CONFLICT when the version is none of the wanted ones. */
export function refuseOtherThan(
  wanted: readonly number[] | undefined,
  { id, version }: { readonly id: string; readonly version: number },
): void {
  if (wanted === undefined || wanted.includes(version)) return;
  throw new HubError('CONFLICT', `${id} is at version ${version} by now; read it again.`, {
    metadata: { version: String(version) },
  });
}
