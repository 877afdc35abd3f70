import { NO_STORE } from '../../common/http/no-store.js';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  AuthService,
  CONSOLE_HEADER,
  OwnAccessDto,
  PrincipalStore,
  type RequestHeaders,
  SessionCallers,
} from '../../auth/index.js';
import { HubError } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';
import { ConsoleCookies } from './console-cookies.js';
import { ConsoleSessions, type EndedSession } from './console-sessions.js';
import { CONSOLE_PATH } from './return-place.js';
import { SignInProviders } from './sign-in-providers.js';

const MAX_BODY = 1024;

/** What the page of the console asks before all else. */
interface SessionView {
  /** The providers at which one may sign in; empty: with a key alone. */
  readonly signIn: readonly { readonly issuer: string; readonly name: string }[];
  /** Whoever has signed in; null: nobody. */
  readonly session: { readonly expiresAt: string; readonly caller: OwnAccessDto } | null;
  /** Why there is none although the browser has the cookie of one; null: it has none. */
  readonly fault: { readonly session: string; readonly detail: string } | null;
}

/** The session of the page of the console: who has signed in, and the end of it. */
@Injectable()
export class SessionEndpoint implements OnModuleInit {
  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly providers: SignInProviders,
    private readonly sessions: ConsoleSessions,
    private readonly cookies: ConsoleCookies,
    private readonly callers: SessionCallers,
    private readonly auth: AuthService,
    private readonly principals: PrincipalStore,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    const server = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    server.route({
      method: 'GET',
      url: `${CONSOLE_PATH}/session`,
      exposeHeadRoute: false,
      config: { access: 'public' },
      handler: async (request, reply) => {
        void reply.header('cache-control', NO_STORE);
        return this.view(request, reply);
      },
    });
    server.route({
      method: 'POST',
      url: `${CONSOLE_PATH}/sign-out`,
      config: { access: 'public' },
      bodyLimit: MAX_BODY,
      // Before a body is read, of which there should be none.
      onRequest: ({ headers }, _reply, done) => {
        this.refuseOthers(headers);
        done();
      },
      handler: async (request, reply) => {
        void reply.header('cache-control', NO_STORE);
        return { signOutUrl: await this.signOut(request, reply) };
      },
    });
  }

  private async view(request: FastifyRequest, reply: FastifyReply): Promise<SessionView> {
    const signIn = this.providers.all.map(({ issuerId: issuer, name }) => ({ issuer, name }));
    try {
      const caller = await this.auth.ofSession(request.headers);
      if (caller?.session === undefined) return { signIn, session: null, fault: null };
      const record = await this.principals.get(caller.id);
      const session = {
        expiresAt: caller.session.expiresAt.toISOString(),
        caller: new OwnAccessDto(caller, record),
      };
      return { signIn, session, fault: null };
    } catch (error) {
      const session = error instanceof HubError ? error.metadata['session'] : undefined;
      if (session === undefined) throw error;
      void reply.header('set-cookie', this.cookies.ended);
      return { signIn, session: null, fault: { session, detail: (error as HubError).message } };
    }
  }

  /** Whoever could make a browser send this could sign its owner out. */
  private refuseOthers(headers: RequestHeaders): void {
    if (headers[CONSOLE_HEADER] === undefined) {
      const text = `This is for the page of the hub, which sends the header ${CONSOLE_HEADER}: 1.`;
      throw new HubError('INVALID_REQUEST', text);
    }
    this.callers.refuseOthers(headers);
  }

  /** Ends the session of the browser; where it ends its sign-in at the provider, if it can. */
  private async signOut(request: FastifyRequest, reply: FastifyReply): Promise<string | null> {
    const ended = await this.sessions.end(request.headers, request.id);
    void reply.header('set-cookie', this.cookies.ended);
    return ended === undefined ? null : this.endAtProvider(ended);
  }

  /** Best effort: the session has ended here, whatever the provider says. */
  private async endAtProvider({ issuerId, tokens }: EndedSession): Promise<string | null> {
    const entry = this.providers.of(issuerId);
    if (entry === undefined) return null;
    const failed = (error: unknown): null => {
      const why = error instanceof Error ? error.message : '';
      this.log.info({ issuer: issuerId, why }, 'a session was not ended at its provider');
      return null;
    };
    const token = tokens && (tokens.refreshToken ?? tokens.accessToken);
    const revoked = token === undefined ? null : this.providers.revoke(entry, token).catch(failed);
    const address = this.providers.signOutAddress(entry, tokens?.idToken ?? null).catch(failed);
    await revoked;
    return address;
  }
}
