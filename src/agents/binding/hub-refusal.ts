import { HUB_ERROR_DOMAIN } from '../../protocol/error-codes.js';

/**
 * Why an agent that is a hub as well has refused a message, in this hub's words. They say of another hub
 * what its clients may know; of what it wrote nothing is in them.
 */
export const HUB_REFUSALS = {
  LOOP: 'its route is a loop of hubs',
  NO_ROUTE: 'that hub has no agent for it',
  AGENT_BUSY: 'the agents of that hub are busy',
  AGENT_UNREACHABLE: 'an agent of that hub could not be reached',
  RATE_LIMITED: 'too many requests for that hub',
  QUOTA_EXCEEDED: 'this hub has used up its quota at that hub',
  PAYLOAD_TOO_LARGE: 'too large for that hub',
  UNAVAILABLE: 'that hub is not available',
} as const;

export type HubRefusal = keyof typeof HUB_REFUSALS;

/**
 * The refusal in the details of an error (A2A §9.5), one `google.rpc.ErrorInfo` or a list that may hold
 * one; undefined when it is not one that hubs give. The hops of a request come back only in a refusal for
 * their sake.
 */
export function hubRefusalOf(details: unknown): HubRefusal | undefined {
  const infos: unknown[] = Array.isArray(details) ? details : [details];
  for (const each of infos) {
    const { domain, reason, metadata } = membersOf(each);
    if (domain !== HUB_ERROR_DOMAIN || typeof reason !== 'string') continue;
    if (reason === 'NO_ROUTE' && membersOf(metadata)['hops'] !== undefined) return 'LOOP';
    if (isRefusal(reason) && reason !== 'LOOP') return reason;
  }
  return undefined;
}

function isRefusal(reason: string): reason is HubRefusal {
  return Object.hasOwn(HUB_REFUSALS, reason);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
