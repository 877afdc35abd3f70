import type { CallNote } from '../common/call-note.js';
import type { Log } from '../common/logger.js';

/** Who calls, as far as the log tells. */
export interface LoggedCaller {
  readonly id: string;
  readonly organization: string;
  readonly keyId?: string | undefined;
  /** What its operator calls that key. */
  readonly keyName?: string | undefined;
  /** The sign-in and the issuer it came with, in place of a key. */
  readonly identityId?: string | undefined;
  readonly issuer?: string | undefined;
}

/** A request that is over. */
export interface EndedRequest {
  readonly note: CallNote;
  readonly caller: LoggedCaller | null;
  /** Where it went: method and pattern of the route, or the method of gRPC. Never its path as it came, which may hold a secret. */
  readonly to: { readonly method: string; readonly route?: string };
  /** Null when it ended before any answer. */
  readonly status: number | string | null;
  readonly ms: number;
  /** The client left, or was left, before the whole answer was written. */
  readonly cut: boolean;
  /** The hub could not do what it should. */
  readonly failed: boolean;
  /** Asked by machines all the time: health and metrics. */
  readonly isProbe: boolean;
}

/** Writes one line for each request: `info`, `warn` for what failed inside the hub, `debug` for probes. */
export class RequestLog {
  constructor(
    /** What is written is chosen here, name by name: no credentials have to be looked for. */
    private readonly log: Log,
    /** Whether requests that succeeded are logged. */
    private readonly all: boolean,
  ) {}

  write(ended: EndedRequest): void {
    if (ended.failed) this.log.warn(fieldsOf(ended), 'request failed');
    else if (!this.all) return;
    else if (ended.isProbe) this.log.debug(fieldsOf(ended), 'request');
    else this.log.info(fieldsOf(ended), 'request');
  }
}

function fieldsOf({ note, caller, to, status, ms, cut }: EndedRequest): object {
  return {
    requestId: note.id,
    ...to,
    operation: note.operation,
    taskId: note.taskId,
    status,
    code: note.code,
    reason: note.reason,
    cause: note.refusal?.cause,
    ms: Math.round(ms * 10) / 10,
    ...(cut && { cut }),
    caller: caller?.id,
    organization: caller?.organization,
    keyId: caller?.keyId,
    keyName: caller?.keyName,
    traceId: note.traceId,
  };
}
