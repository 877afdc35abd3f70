import type { FastifyReply } from 'fastify';

/**
 * Whether the header fields of an answer are asked for alone (RFC 9110, section 9.3.2). An answer that is made while it
 * is read is not begun for them: it would be made to its end, or go on for ever.
 */
export function isHead({ request }: FastifyReply): boolean {
  return request.method === 'HEAD';
}
