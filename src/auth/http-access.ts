import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { HubError } from '../common/hub-error.js';
import {
  AllowedMethods,
  methodNotAllowed,
  type RouterOptions,
} from '../common/http/allowed-methods.js';
import '../common/http/declare-access.js';
import { AppConfig } from '../config/index.js';
import { AuthService } from './auth.service.js';
import { Challenges } from './challenge.js';
import { presented } from './credential.js';
import { OwnPages } from './own-pages.js';
import { type Principal, hasScope } from './principal.js';
import { SCOPES, type Scope } from '../common/scope.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; null on a route that asks for no key. */
    principal: Principal | null;
    /** See {@link ReserveAnswer}; null where answers are not counted. */
    reserveAnswer: ((bytes: number) => Promise<void>) | null;
    /** See {@link OpenCall}; null where calls are not counted. */
    openCall: (() => () => void) | null;
  }
}

/**
 * Who may call a route.
 * - a scope: callers whose key holds it; of several with `|` between, one of them.
 * - `any`: every caller with a valid credential, whatever its scopes.
 * - `public`: everybody.
 * - `optional`: everybody; it shows more to who has a key. One that is not valid is refused.
 * - `secret`: whoever knows a secret of its own, which the route asks for before it reads the body.
 * - `refused`: a route that refuses every request, unread (405).
 */
export type Access =
  | Scope
  | `${Scope}|${string}`
  | 'any'
  | 'public'
  | 'optional'
  | 'secret'
  | 'refused';

const OTHERS: ReadonlySet<string> = new Set<Access>([
  'any',
  'public',
  'optional',
  'secret',
  'refused',
]);
const ALL_SCOPES: ReadonlySet<string> = new Set(SCOPES);

function isAccess(access: string): access is Access {
  return OTHERS.has(access) || access.split('|').every((each) => ALL_SCOPES.has(each));
}

/** One route and who may call it. */
export interface DeclaredRoute {
  readonly method: string;
  /** As Fastify writes it. */
  readonly url: string;
  readonly access: Access;
}

/**
 * Lets callers in at every route of the HTTP server, before the first byte of a body is read: each route
 * declares its `access`, in its `config`. One that declares none stops the start.
 */
@Injectable()
export class HttpAccess {
  /** Every route that is served. */
  readonly routes: DeclaredRoute[] = [];

  private readonly pages: OwnPages;

  constructor(
    private readonly auth: AuthService,
    private readonly challenges: Challenges,
    config: AppConfig,
  ) {
    this.pages = new OwnPages(config);
  }

  /** To be called before the server has routes. Hooks added before it run first, also for callers without a key. */
  guard(server: FastifyInstance, router: RouterOptions): void {
    const allowed = new AllowedMethods(router);
    server.decorateRequest('principal', null);
    server.addHook('onRoute', (route) => this.declare(route, allowed));
    server.addHook('onRequest', async (request, reply) => {
      try {
        await this.admit(request, allowed);
      } catch (error) {
        const challenge = error instanceof HubError && this.challenges.of(error, request);
        if (challenge) void reply.header('www-authenticate', challenge);
        throw error;
      }
    });
  }

  private declare({ method, url, config }: RouteOptions, allowed: AllowedMethods): void {
    const access = config?.access;
    for (const each of [method].flat()) {
      if (access === undefined || !isAccess(access)) {
        throw new Error(
          `The route ${each} ${url} ${access === undefined ? 'declares no access' : `declares the access ${access}, which there is not`}: ` +
            'a controller needs @AdminController or @Public, a route of Fastify a config with access.',
        );
      }
      this.routes.push({ method: each, url, access });
      if (access !== 'refused') allowed.add(each, url);
    }
  }

  private async admit(request: FastifyRequest, allowed: AllowedMethods): Promise<void> {
    // Unread: no body is parsed for an answer that does not depend on it.
    if (request.is404) throw unserved(request, allowed);
    const access = request.routeOptions.config.access as Access;
    switch (access) {
      case 'public':
      case 'secret':
      case 'refused':
        return;
      case 'optional':
        request.principal = await this.known(request);
        return;
      default:
        request.principal = await this.caller(request, access);
    }
  }

  /** Whoever shows a key, or is let in without one. */
  private async known(request: FastifyRequest): Promise<Principal | null> {
    const principal = await this.authenticate(request).catch((error: unknown) => {
      // Without a credential, or with a certificate of nobody's: TLS clients show theirs to all servers.
      const isUnknown = error instanceof HubError && error.reason === 'UNAUTHENTICATED';
      if (isUnknown && presented(request.headers) === undefined) return null;
      throw error;
    });
    // Also with a key that is none: it proves nothing.
    return principal && this.pageFault(principal, request) !== undefined ? null : principal;
  }

  /** Why a caller whom the browser may have made one is not let in. */
  private pageFault(principal: Principal, request: FastifyRequest): string | undefined {
    if (principal === this.auth.anonymous) return this.pages.fault(request);
    return principal.isCertified === true ? this.pages.faultWithCertificate(request) : undefined;
  }

  private authenticate({ headers, raw }: FastifyRequest): Promise<Principal> {
    const { socket, rawHeaders } = raw;
    return this.auth.authenticate(headers, { listener: 'http', socket, rawHeaders });
  }

  private async caller(
    request: FastifyRequest,
    access: Scope | `${Scope}|${string}` | 'any',
  ): Promise<Principal> {
    const principal = await this.authenticate(request);
    const fault = this.pageFault(principal, request);
    if (fault !== undefined) throw new HubError('PERMISSION_DENIED', fault);
    if (access === 'any') return principal;
    const isLetIn = access.includes('|')
      ? scopesOf(access).some((scope) => hasScope(principal, scope))
      : hasScope(principal, access as Scope);
    if (isLetIn) return principal;
    // For the request's line in the log: who it was that may not.
    request.principal = principal;
    throw this.challenges.lacking(scopesOf(access), principal);
  }
}

/** What is said of a request that no route takes: of the path, or of its method. */
function unserved({ method, url }: FastifyRequest, allowed: AllowedMethods): HubError {
  const methods = allowed.of(url);
  if (methods.length === 0) return new HubError('NOT_FOUND', 'There is no such path.');
  return methodNotAllowed(method, methods.join(', '));
}

function scopesOf(access: string): [Scope, ...Scope[]] {
  return access.split('|') as [Scope, ...Scope[]];
}
