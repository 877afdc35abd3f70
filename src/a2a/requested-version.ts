import { HubError } from '../common/hub-error.js';
import type { ProtocolVersion } from '../protocol/protocol-version.js';

/** The versions the bindings speak, newest first, as errors name them. */
const SPOKEN = ['1.0', '0.3', '0.2.5'];

/** Major and minor of an `A2A-Version`; the patch counts for nothing (A2A §3.6). */
const VERSION = /^(\d{1,4})\.(\d{1,4})(\.[\w.+-]+)?$/;

/**
 * The dialect an `A2A-Version` asks for: 0.2.x is spoken to in the 0.3 dialect. Undefined when the
 * client names none. Throws VERSION_NOT_SUPPORTED for any other.
 */
export function requestedVersion(header: string | undefined): ProtocolVersion | undefined {
  const requested = header?.trim();
  if (!requested) return undefined;
  const version = statedVersion(requested);
  if (version === '1.0') return '1.0';
  if (version === '0.3' || version === '0.2') return '0.3';
  throw new HubError(
    'VERSION_NOT_SUPPORTED',
    `A2A version ${JSON.stringify(requested.slice(0, 32))} is not supported; supported are ${SPOKEN.slice(0, -1).join(', ')} and ${SPOKEN.at(-1)}.`,
    { metadata: { supportedVersions: SPOKEN.join(',') } },
  );
}

/** The `major.minor` that an `A2A-Version` states, word for word: 0.2 is not 0.3 here. */
export function statedVersion(header: string | undefined): string | undefined {
  const match = VERSION.exec(header?.trim() ?? '');
  return match ? `${Number(match[1])}.${Number(match[2])}` : undefined;
}

/**
 * Lets a request pass that asks for the version of the place it came to, or for none. Throws
 * VERSION_NOT_SUPPORTED for one the hub does not speak, METHOD_NOT_FOUND for the other one, naming the
 * place that is right there (undefined: there is none).
 */
export function checkVersion(
  requested: string | undefined,
  spoken: ProtocolVersion,
  kind: 'path' | 'service',
  right: string | undefined,
): void {
  const version = requestedVersion(requested) ?? spoken;
  if (version === spoken) return;
  throw new HubError(
    'METHOD_NOT_FOUND',
    right === undefined
      ? `A2A ${version} has no such operation; this ${kind} is of A2A ${spoken}.`
      : `This ${kind} is of A2A ${spoken}; in A2A ${version} it is ${right}.`,
    { metadata: right === undefined ? {} : { [kind]: right } },
  );
}
