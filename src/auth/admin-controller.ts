import {
  Controller,
  type ExecutionContext,
  applyDecorators,
  createParamDecorator,
} from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { declareAccess } from '../common/http/access.js';
import type { Scope } from './principal.js';

/**
 * A controller of the admin API: its tag in the API's description, the path it is at, and the scope its
 * handlers need, unless {@link RequireScope} says otherwise for one.
 */
export const AdminController = (tag: string, path: string, scope: Scope): ClassDecorator =>
  applyDecorators(ApiTags(tag), ApiBearerAuth(), Controller(path), declareAccess(scope));

/** The scope that one handler needs. */
export const RequireScope = (scope: Scope): MethodDecorator => declareAccess(scope);

/**
 * Waits for room for an answer of so many bytes, in a handler of an {@link AdminController}: a function to call before
 * what is large is made. Rejects with RATE_LIMITED or UNAVAILABLE when there is none after a while.
 */
export const ReserveAnswer = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<FastifyRequest>().reserveAnswer ?? undefined,
);

/** The caller, in a handler of an {@link AdminController}. */
export const CurrentPrincipal = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<FastifyRequest>().principal,
);
