import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { actorOf, audited, type AuditedChange, AuditLog, NO_CALLER } from '../audit/index.js';
import { keyIdOf } from '../auth/index.js';
import { IS_AUDITED } from '../common/http/audited-route.js';
import { SAFE_METHODS } from '../common/http/safe-methods.js';
import { Log } from '../common/logger.js';

const PREFIX = '/api/v1/';
/** Handlers whose names are those of the methods of HTTP. */
const OPERATIONS: Readonly<Record<string, string>> = { patch: 'update', remove: 'delete' };

/** What a route changes, and how. */
interface Operation {
  readonly action: string;
  readonly type: string;
}

/**
 * Records every change through the admin API, whichever route it is: that it is attempted, before its handler runs,
 * and its result, before the answer leaves. What cannot be recorded is refused. Bodies are never recorded.
 */
@Injectable()
export class AuditedChanges implements NestInterceptor {
  private readonly operations = new Map<string, Operation>();

  constructor(
    private readonly audit: AuditLog,
    private readonly log: Log,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isAudited(context, request)) return next.handle();
    const change = this.changeOf(request, context.getHandler().name);
    const work = (): Promise<unknown> => lastValueFrom(next.handle(), { defaultValue: undefined });
    const notRecorded = (err: unknown): void => {
      const { id: requestId } = request;
      const { action } = change;
      this.log.error({ err, requestId, action }, 'the result of a change could not be recorded');
    };
    return defer(() => audited(this.audit, change, work, notRecorded, idOf));
  }

  private changeOf(request: FastifyRequest, handler: string): AuditedChange {
    const { principal, params, query, id: requestId } = request;
    const { action, type } = this.operationOf(request.routeOptions.url ?? '', handler);
    const written = Object.values((params ?? {}) as Readonly<Record<string, string>>);
    // Of a whole key that somebody has put into a path only its id.
    const ids = written.map((id) => keyIdOf(id) ?? id);
    return {
      action,
      actor: principal === null ? NO_CALLER : actorOf(principal),
      resource: { type, id: ids.length === 0 ? null : ids.join('/') },
      requestId,
      policy: null,
      // What was found against a change is passed over.
      details: (query as { force?: unknown }).force === 'true' ? { forced: true } : {},
    };
  }

  /** The resource is what the path of the route names; the operation is its verb, or the name of the handler. */
  private operationOf(url: string, handler: string): Operation {
    const key = `${handler} ${url}`;
    let operation = this.operations.get(key);
    if (operation === undefined) {
      const [path = '', verb] = url.slice(PREFIX.length).split('::');
      const parts = path.split(/\/:[^/]+\/?/).map((names) => names.replaceAll('/', '.'));
      // `tasks/:id/content`: what stands behind the last id is what is done with it.
      const done = parts.length > 1 ? parts.pop() : '';
      // `agents/:id/credentials/:organization`: the credentials of an agent.
      const type = parts.join('.');
      const name = verb ?? (done || (OPERATIONS[handler] ?? dashed(handler)));
      operation = { type, action: `${type}.${name}` };
      this.operations.set(key, operation);
    }
    return operation;
  }
}

/** What a handler says of itself wins. */
function isAudited(context: ExecutionContext, { method, routeOptions }: FastifyRequest): boolean {
  if (routeOptions.url?.startsWith(PREFIX) !== true) return false;
  const said: unknown = Reflect.getMetadata(IS_AUDITED, context.getHandler());
  return typeof said === 'boolean' ? said : !SAFE_METHODS.has(method);
}

/** The id in an answer: of what was made. */
function idOf(answer: unknown): string | null {
  if (typeof answer !== 'object' || answer === null) return null;
  const { id, kid } = answer as { readonly id?: unknown; readonly kid?: unknown };
  if (typeof id === 'string') return id;
  return typeof kid === 'string' ? kid : null;
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
