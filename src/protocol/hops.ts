import { isRecord } from '../common/is-record.js';
import { withMember } from '../common/merged.js';
import { HubError, invalidField } from '../common/hub-error.js';
import { ROUTING_EXTENSION_URI } from './routing-extension.js';

/** The header that lists the hubs a request has passed, oldest first, separated by commas. */
export const HOPS_HEADER = 'A2A-Hub-Hops';

/** A hub's instance id as it may appear in a list of hops. */
const HUB_ID = /^[\x21-\x2B\x2D-\x7E]{1,128}$/;

type Metadata = Readonly<Record<string, unknown>> | undefined;

/**
 * The hubs a request has passed, from its header and from `hops` of the extension's data in the
 * request's metadata; the longer list counts, because a proxy may have dropped one of them. Throws
 * HubError INVALID_PARAMS when a list is not one of hub ids.
 */
export function readHops(header: string | undefined, metadata: Metadata): string[] {
  const fromHeader = (header ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const data = metadata?.[ROUTING_EXTENSION_URI] as { hops?: unknown } | null | undefined;
  const fromMetadata: unknown = data?.hops ?? [];
  const field = `metadata["${ROUTING_EXTENSION_URI}"].hops`;
  if (!isHubIds(fromMetadata)) throw invalidField(field, 'must be a list of hub ids');
  if (!isHubIds(fromHeader)) throw invalidField(HOPS_HEADER, 'must be a list of hub ids');
  return fromHeader.length >= fromMetadata.length ? fromHeader : [...fromMetadata];
}

/**
 * The list to send on: the hops so far and this hub. Throws HubError NO_ROUTE when this hub is in it
 * already, or when it holds `limit` hubs: the request goes round in circles that hide their ids.
 */
export function passHops(hops: readonly string[], ownId: string, limit: number): string[] {
  if (hops.includes(ownId)) {
    throw new HubError(
      'NO_ROUTE',
      'This request has passed this hub before: its route is a loop.',
      {
        metadata: { hops: shown(hops) },
      },
    );
  }
  if (hops.length >= limit) {
    throw new HubError(
      'NO_ROUTE',
      `This request has passed ${hops.length} hubs; ${limit} is the limit.`,
      {
        metadata: { hops: shown(hops) },
      },
    );
  }
  return [...hops, ownId];
}

/** Hops that an error shows. */
const MAX_SHOWN = 50;

function shown(hops: readonly string[]): string {
  return hops.slice(0, MAX_SHOWN).join(',');
}

/** Metadata that carries the hops; what stands beside them under the extension's URI stays. */
export function withHops(metadata: Metadata, hops: readonly string[]): Record<string, unknown> {
  const data = metadata?.[ROUTING_EXTENSION_URI];
  const rest = isRecord(data) ? data : undefined;
  return withMember(metadata, ROUTING_EXTENSION_URI, withMember<unknown>(rest, 'hops', hops));
}

function isHubIds(value: unknown): value is string[] {
  return (
    Array.isArray(value) && value.every((each) => typeof each === 'string' && HUB_ID.test(each))
  );
}
