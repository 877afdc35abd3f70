import { ConnectError } from '../../common/egress/connect-error.js';
import { HubError } from '../../common/hub-error.js';
import { ExportRefused } from './http-answer.js';

/** Why a receiver was not reached, in plain words: nothing that it said, and no path or secret of its address. */
export function troubleOf(error: unknown, timeoutMs: number): string {
  if (
    error instanceof HubError ||
    error instanceof ConnectError ||
    error instanceof ExportRefused
  ) {
    return error.message;
  }
  const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  if (name === 'TimeoutError' || code === 'UND_ERR_HEADERS_TIMEOUT') {
    return `the receiver did not acknowledge within ${timeoutMs} ms`;
  }
  const known = typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : '';
  return `the connection to the receiver broke off${known}`;
}
