import { HubError } from '../../common/hub-error.js';
import type { ProtocolVersion } from '../../routing/index.js';
import { type CallSource, single } from '../call-context.js';
import { askedVersion } from '../protocol-version.js';

/** The `A2A-Version` of a request: the header, else the query parameter (A2A §3.6.1). */
export function versionAskedBy(request: {
  readonly headers: CallSource['headers'];
  readonly query: unknown;
}): string | undefined {
  const header = single(request.headers['a2a-version']);
  if (header) return header;
  const query = request.query as Record<string, string | string[]> | undefined;
  return single(query?.['A2A-Version']);
}

/**
 * Lets a request pass that asks for the version of its path, or for none. Throws VERSION_NOT_SUPPORTED
 * for one the hub does not speak, METHOD_NOT_FOUND with the right path (undefined: there is none) for
 * the other one.
 */
export function checkPathVersion(
  asked: string | undefined,
  spoken: ProtocolVersion,
  otherPath: string | undefined,
): void {
  const version = askedVersion(asked) ?? spoken;
  if (version === spoken) return;
  throw new HubError(
    'METHOD_NOT_FOUND',
    otherPath === undefined
      ? `A2A ${version} has no such operation; this path is of A2A ${spoken}.`
      : `This path is of A2A ${spoken}; in A2A ${version} it is ${otherPath}.`,
    { metadata: otherPath === undefined ? {} : { path: otherPath } },
  );
}
