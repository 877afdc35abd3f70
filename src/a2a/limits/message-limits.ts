import { HubError } from '../../common/hub-error.js';
import { JsonLimitError, type JsonLimits, MAX_NESTING } from '../../common/json-limits.js';
import type { AppConfig } from '../../config/index.js';

/** The levels around what clients may nest: params, message, parts, a part and its data. */
const OUTER_LEVELS = 16;

/** What a request of the A2A API may be, before anything of it is parsed. */
export interface MessageLimits extends JsonLimits {
  readonly maxBytes: number;
}

/** Free-form values are nested {@link MAX_NESTING} deep at most; validation names the field that is deeper. */
export function messageLimitsOf({ server }: AppConfig): MessageLimits {
  return {
    maxBytes: server.bodyLimit,
    maxValues: server.maxValues,
    maxNesting: MAX_NESTING + OUTER_LEVELS,
  };
}

export function tooLarge({ maxBytes }: MessageLimits): HubError {
  return new HubError('PAYLOAD_TOO_LARGE', `A request must be at most ${maxBytes} bytes.`);
}

/** What was thrown by a meter, as the error of a request; anything else as it is. */
export function limitError(thrown: unknown): unknown {
  if (!(thrown instanceof JsonLimitError)) return thrown;
  return new HubError(
    thrown.isTooMuch ? 'PAYLOAD_TOO_LARGE' : 'INVALID_PARAMS',
    `The request ${thrown.message}.`,
    { cause: thrown },
  );
}
