import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import { HubError, invalidFields } from '../hub-error.js';
import { isRecord } from '../is-record.js';

/**
 * Refuses the query or the body of a route of the admin API that declares none (`@Query()`, `@Body()`): what is given is refused
 * by its name, as it is where one is declared. So is what no query can declare, since the check of a declared one does not see it.
 */
export class Undeclared implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    const { query, body } = context.switchToHttp().getRequest<FastifyRequest>();
    const declared = declaredOf(context);
    const given = Object.keys(query as object);
    const unknown = declared.query ? given.filter((name) => name === '__proto__') : given;
    if (!declared.body) unknown.push(...namesIn(body));
    if (unknown.length === 0) return next.handle();
    throw invalidFields(unknown.map((field) => ({ field, description: 'is not known here' })));
  }
}

/** The members of a body that should be none; an empty object says nothing. */
function namesIn(body: unknown): readonly string[] {
  if (body === undefined || body === null) return [];
  if (isRecord(body)) return Object.keys(body);
  throw new HubError('INVALID_REQUEST', 'This request takes no body.');
}

/** Nest keeps the arguments of a handler by their kinds: `4:0` is a query that is the first of them. */
function declaredOf(context: ExecutionContext): {
  readonly query: boolean;
  readonly body: boolean;
} {
  const kinds: unknown = Reflect.getMetadata(
    ROUTE_ARGS_METADATA,
    context.getClass(),
    context.getHandler().name,
  );
  const has = (type: RouteParamtypes): boolean =>
    Object.keys(kinds ?? {}).some((kind) => kind.startsWith(`${type}:`));
  return { query: has(RouteParamtypes.QUERY), body: has(RouteParamtypes.BODY) };
}
