import {
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { invalidFields } from '../hub-error.js';

class QueryRefusal implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    const { query } = context.switchToHttp().getRequest<FastifyRequest>();
    const given = Object.keys(query as object);
    if (given.length === 0) return next.handle();
    throw invalidFields(
      given.map((field) => ({ field, description: 'is not known here; known: none' })),
    );
  }
}

/** A route of the admin API that takes no query: what is given is refused by its name, as lists do. */
export function NoQuery(): MethodDecorator {
  return UseInterceptors(new QueryRefusal());
}
