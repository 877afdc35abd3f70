import { AgentCallError } from '../../agents/index.js';

type Detail = AgentCallError['detail'];

/** What hubs refuse for, and no longer do after a while. */
const PASSING: ReadonlySet<Detail['hubRefusal']> = new Set([
  'AGENT_BUSY',
  'RATE_LIMITED',
  'UNAVAILABLE',
]);

/** The call {@link isMissed}, or was answered as {@link isBusyOrAway} says: the next one may succeed. */
export function isTransient(error: unknown): boolean {
  return isMissed(error) || (error instanceof AgentCallError && isBusyOrAway(error));
}

/**
 * The agent has not had the call, or only perhaps: it was not reached, the connection broke, or it was too busy. What it must
 * get is sent again then. A plain 500 is none of that: many agents answer a cancel so that they have not implemented.
 */
export function isMissed(error: unknown): boolean {
  if (!(error instanceof AgentCallError)) return false;
  const { kind } = error;
  return kind === 'unreachable' || kind === 'interrupted' || isBusy(error);
}

/**
 * The call was refused for want of capacity, or in the agent's stead while it is away: balancers answer a plain 500 or
 * 503 then. 501 says that there is no such operation.
 */
export function isBusyOrAway(error: AgentCallError): boolean {
  if (isBusy(error)) return true;
  const { kind, detail } = error;
  const { code, hubRefusal, httpStatus = 0 } = detail;
  const isPlain = code === undefined && hubRefusal === undefined;
  return kind === 'rejected' && isPlain && httpStatus >= 500 && httpStatus !== 501;
}

/** The call was refused, unread, for want of capacity (429, 503, or as a hub by a limit). */
export function isBusy({ kind, detail }: AgentCallError): boolean {
  const { hubRefusal, httpStatus } = detail;
  if (kind !== 'rejected') return false;
  if (hubRefusal !== undefined) return PASSING.has(hubRefusal);
  return httpStatus === 429 || httpStatus === 503;
}
