import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import { invalidFields } from '../hub-error.js';

/**
 * Refuses the query of a route of the admin API that declares none (`@Query()`): what is given is refused by its name, as it
 * is where a query is declared. So is what no query can declare, since the check of a declared one does not see it.
 */
export class UndeclaredQuery implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    const { query } = context.switchToHttp().getRequest<FastifyRequest>();
    const given = Object.keys(query as object);
    if (given.length === 0) return next.handle();
    const unknown = declaresQuery(context) ? given.filter((name) => name === '__proto__') : given;
    if (unknown.length === 0) return next.handle();
    throw invalidFields(unknown.map((field) => ({ field, description: 'is not known here' })));
  }
}

/** Nest keeps the arguments of a handler by their kinds: `4:0` is a query that is the first of them. */
function declaresQuery(context: ExecutionContext): boolean {
  const declared: unknown = Reflect.getMetadata(
    ROUTE_ARGS_METADATA,
    context.getClass(),
    context.getHandler().name,
  );
  return Object.keys(declared ?? {}).some((kind) => kind.startsWith(`${RouteParamtypes.QUERY}:`));
}
