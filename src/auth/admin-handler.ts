import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/**
 * Reserves memory for an answer of so many bytes, in a handler of an `AdminController`: a function to call before
 * what is large is made. Rejects with RATE_LIMITED or UNAVAILABLE when there is none after a while.
 */
export const ReserveAnswer = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<FastifyRequest>().reserveAnswer ?? undefined,
);

/**
 * Counts a call that stays open (`server.maxOpenCalls`), in a handler of an `AdminController`: a function to call before the
 * answer begins, which gives the one to call when it has ended. Throws RATE_LIMITED or UNAVAILABLE.
 */
export const OpenCall = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<FastifyRequest>().openCall ?? undefined,
);

/** The caller, in a handler of an `AdminController`. */
export const CurrentPrincipal = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<FastifyRequest>().principal,
);
