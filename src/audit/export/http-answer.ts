import type { EgressResponse } from '../../common/egress/read-body.js';

/** The receiver answered, but did not take the entries. */
export class ExportRefused extends Error {
  override readonly name = 'ExportRefused';

  constructor(
    readonly status: number,
    /** How long it asks to be left alone (`Retry-After` in seconds), in milliseconds. */
    readonly waitMs: number,
  ) {
    super(`the receiver answered HTTP ${status}`);
  }
}

/** Throws {@link ExportRefused} unless the status says that the receiver took them. */
export function acknowledged({ statusCode, headers }: EgressResponse): void {
  if (statusCode >= 200 && statusCode < 300) return;
  const seconds = Number(headers['retry-after']);
  throw new ExportRefused(statusCode, Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0);
}
