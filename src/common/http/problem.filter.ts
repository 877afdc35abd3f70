import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../logger.js';
import { noteFailure } from '../call-note.js';
import { faultOf, hubErrorOf } from '../hub-error.js';
import { PROBLEM_JSON, problemOf } from './problem.js';

/** Answers every error of the admin API, and every unknown path, as `application/problem+json`. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const error = hubErrorOf(thrown);
    noteFailure(request.note, error);
    const err = faultOf(error);
    if (err !== undefined) {
      const { id: requestId, method } = request;
      const route = request.routeOptions.url;
      this.log.error({ err, requestId, method, route }, 'request failed');
    }
    if (reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    const { retryAfterSeconds, allow } = error.metadata;
    if (allow !== undefined) void reply.header('allow', allow);
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
    const problem = problemOf(error);
    void reply.status(problem.status).type(PROBLEM_JSON).send(JSON.stringify(problem));
  }
}
