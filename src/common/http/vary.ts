import type { FastifyReply } from 'fastify';

/** Says that the answer depends on this request header as well; what was said before stays. */
export function varyBy(reply: FastifyReply, header: string): void {
  const before = reply.getHeader('vary');
  const names = before === undefined ? [] : String(before).split(/\s*,\s*/);
  if (names.some((name) => name.toLowerCase() === header.toLowerCase())) return;
  void reply.header('vary', [...names, header].join(', '));
}
