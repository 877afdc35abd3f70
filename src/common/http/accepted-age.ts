import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { OLDEST_READING_MS } from '../shared-reading.js';

const MAX_AGE = /(?:^|,)\s*max-age=(\d{1,9})\s*(?:,|$)/i;
const NEW_ONLY = /(?:^|,)\s*no-(?:cache|store)\s*(?:,|$)/i;

/** What the description of a handler says that takes it. */
export const ACCEPTED_AGE =
  'With Cache-Control: max-age=N, N up to 5, the answer may be as many seconds old: one that others with the same rights were given, or are about to be. Without it, it is new.';

/** How many milliseconds old an answer may be by the `Cache-Control` of a request (RFC 9111 §5.2.1): 0 without `max-age`. */
export function acceptedAge(cacheControl: string | undefined): number {
  if (cacheControl === undefined || NEW_ONLY.test(cacheControl)) return 0;
  const seconds = Number(MAX_AGE.exec(cacheControl)?.[1] ?? 0);
  return Math.min(OLDEST_READING_MS, 1000 * seconds);
}

/** How old the answer may be, in milliseconds, in a handler of an `AdminController`. */
export const AcceptedAge = createParamDecorator((_: unknown, context: ExecutionContext) =>
  acceptedAge(context.switchToHttp().getRequest<FastifyRequest>().headers['cache-control']),
);
