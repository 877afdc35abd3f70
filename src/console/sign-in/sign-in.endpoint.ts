import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthService, ClientAddress, type Principal } from '../../auth/index.js';
import { noteFailure } from '../../common/call-note.js';
import { faultOf, HubError, hubErrorOf } from '../../common/hub-error.js';
import { VisitBounds } from '../../common/http/visit-bounds.js';
import { Log } from '../../common/logger.js';
import { networkOf } from '../../common/network-of.js';
import type { TokenAnswer } from '../../common/oauth/request-token.js';
import { AppConfig, PublicUrl } from '../../config/index.js';
import { PLAIN_PAGE_HEADERS } from '../../common/http/plain-page.js';
import { ConsoleCookies } from './console-cookies.js';
import { ConsoleSessions } from './console-sessions.js';
import type { SignIn } from './declared-sign-ins.js';
import { CONSOLE_PATH, returnPlace } from './return-place.js';
import { type Attempt, SignInAttempts } from './sign-in-attempts.js';
import {
  failedPage,
  otherAddressPage,
  refusedTokenPage,
  type SignInLink,
  type SignInPage,
  tooManySessionsPage,
  tooManyVisitsPage,
  troublePage,
  unexpectedPage,
  unknownWayPage,
} from './sign-in-pages.js';
import { SIGN_IN_CALLBACK_PATH, SignInFailed, SignInProviders } from './sign-in-providers.js';

const SIGN_IN_PATH = `${CONSOLE_PATH}/sign-in`;
/** In the address of a sign-in whose browser was sent to the address of the hub. */
const MOVED = 'moved';

/** Where a browser goes next. */
interface Redirect {
  readonly location: string;
}

/** How people sign in to the console at a provider: two addresses that browsers go to, of which each answers with a redirect or a page. */
@Injectable()
export class SignInEndpoint implements OnModuleInit {
  private readonly addresses: ClientAddress;
  private readonly bounds = new VisitBounds();

  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly providers: SignInProviders,
    private readonly attempts: SignInAttempts,
    private readonly sessions: ConsoleSessions,
    private readonly cookies: ConsoleCookies,
    private readonly auth: AuthService,
    private readonly publicUrl: PublicUrl,
    private readonly log: Log,
    private readonly config: AppConfig,
  ) {
    this.addresses = new ClientAddress(config);
  }

  onModuleInit(): void {
    const server = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    const shared = { method: 'GET', exposeHeadRoute: false } as const;
    server.route({
      ...shared,
      url: SIGN_IN_PATH,
      config: { access: 'public' },
      handler: (request, reply) => this.answer(request, reply, () => this.begin(request, reply)),
    });
    server.route({
      ...shared,
      url: SIGN_IN_CALLBACK_PATH,
      config: { access: 'secret' },
      handler: (request, reply) => this.answer(request, reply, () => this.complete(request, reply)),
    });
  }

  private async begin(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Redirect | SignInPage> {
    const query = queryOf(request);
    if (this.isElsewhere(request)) {
      if (query.has(MOVED)) return otherAddressPage(this.publicUrl.base);
      query.set(MOVED, '1');
      return { location: `${this.publicUrl.base}${SIGN_IN_PATH}?${query.toString()}` };
    }
    const all = this.providers.all;
    const requested = query.get('issuer');
    const entry =
      requested === null && all.length === 1 ? all[0] : this.providers.of(requested ?? '');
    if (entry === undefined) return unknownWayPage(all.map((each) => this.linkTo(each)));
    const returnTo = returnPlace(query.get('returnTo'));
    const brought = this.cookies.attemptsIn(request.headers);
    const { attempt, cookie } = this.attempts.begin(
      { issuerId: entry.issuerId, returnTo },
      brought,
    );
    try {
      const { href } = await this.providers.ask(entry, attempt);
      void reply.header('set-cookie', this.cookies.ofAttempts(cookie));
      return { location: href };
    } catch (error) {
      return this.failed(request, error, entry);
    }
  }

  private async complete(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Redirect | SignInPage> {
    const answer = queryOf(request);
    const state = answer.get('state') ?? '';
    const taken = this.attempts.take(state, this.cookies.attemptsIn(request.headers));
    const entry = taken.attempt && this.providers.of(taken.attempt.issuerId);
    if (taken.attempt === undefined || entry === undefined || isRepeated(answer)) {
      this.note(request, 'unexpected-answer');
      return unexpectedPage(this.consoleLink);
    }
    // Used once, whatever comes of it.
    void reply.header('set-cookie', this.cookies.ofAttempts(taken.cookie));
    try {
      return await this.signIn(request, reply, entry, taken.attempt, answer);
    } catch (error) {
      return this.failed(request, error, entry);
    }
  }

  private async signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    entry: SignIn,
    attempt: Attempt,
    answer: URLSearchParams,
  ): Promise<Redirect | SignInPage> {
    const tokens = await this.providers.complete(entry, attempt, answer);
    try {
      const holder = await this.holderOf(tokens, entry);
      const { secret, seconds } = await this.sessions.begin(entry, tokens, holder, request.id);
      void reply.header('set-cookie', this.cookies.ofSession(secret, seconds));
      return { location: this.publicUrl.base + attempt.returnTo };
    } catch (error) {
      await this.sessions.drop(entry, tokens.refreshToken ?? tokens.value);
      const refused = hubErrorOf(error);
      if (faultOf(refused) !== undefined) throw error;
      noteFailure(request.note, refused);
      return refused.reason === 'QUOTA_EXCEEDED'
        ? tooManySessionsPage(this.consoleLink)
        : refusedTokenPage(refused, entry.name, this.consoleLink);
    }
  }

  private async holderOf({ value }: TokenAnswer, { issuerId }: SignIn): Promise<Principal> {
    const holder = await this.auth.holderOf(value);
    if (holder.token?.issuerId === issuerId) return holder;
    throw new HubError('UNAUTHENTICATED', 'The access token is of another issuer.', {
      refusal: { cause: 'other-issuer' },
    });
  }

  private failed(request: FastifyRequest, error: unknown, { issuerId }: SignIn): SignInPage {
    if (!(error instanceof SignInFailed)) throw error;
    const { fault, message: why } = error;
    this.log.info(
      { issuer: issuerId, why, requestId: request.id },
      'a sign-in to the console failed at its provider',
    );
    if (fault !== 'provider-away') this.note(request, fault, issuerId);
    return failedPage(error, this.consoleLink);
  }

  /** For the audit log, as other refused sign-ins. */
  private note(request: FastifyRequest, cause: string, issuerId?: string): void {
    const issuer = this.config.auth.issuers.find(({ id }) => id === issuerId)?.['issuer'];
    const refusal = { cause, ...(typeof issuer === 'string' && { issuer }) };
    noteFailure(request.note, new HubError('UNAUTHENTICATED', '', { refusal }));
  }

  /** A browser has another name for the listening address, which the provider would not send it back to. */
  private isElsewhere({ headers }: FastifyRequest): boolean {
    return this.config.publicUrl === null && headers.host !== new URL(this.publicUrl.base).host;
  }

  private get consoleLink(): SignInLink {
    return { href: `${this.publicUrl.base}${CONSOLE_PATH}/`, text: 'To the console' };
  }

  private linkTo({ issuerId, name }: SignIn): SignInLink {
    const query = new URLSearchParams({ issuer: issuerId }).toString();
    return { href: `${this.publicUrl.base}${SIGN_IN_PATH}?${query}`, text: name };
  }

  /** Answers whatever happens. */
  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    make: () => Promise<Redirect | SignInPage>,
  ): Promise<FastifyReply> {
    const made = await this.within(request, reply, make).catch((error: unknown) => {
      const err = hubErrorOf(error);
      noteFailure(request.note, err);
      this.log.error({ err, requestId: request.id }, 'a sign-in to the console failed');
      return troublePage(this.consoleLink);
    });
    void reply.headers(PLAIN_PAGE_HEADERS);
    if ('location' in made) return reply.status(302).header('location', made.location).send();
    return reply.status(made.status).type('text/html; charset=utf-8').send(made.html);
  }

  /** Who guesses or floods is told to wait. */
  private async within(
    { headers, socket }: FastifyRequest,
    reply: FastifyReply,
    make: () => Promise<Redirect | SignInPage>,
  ): Promise<Redirect | SignInPage> {
    const address = this.addresses.of(headers, socket);
    // Those whose address no proxy tells are not taken for one.
    if (address === undefined) return make();
    const isMiss = (made: Redirect | SignInPage): boolean => 'isMiss' in made;
    const visit = await this.bounds.within(networkOf(address), make, isMiss);
    if ('result' in visit) return visit.result;
    void reply.header('retry-after', String(visit.seconds));
    return tooManyVisitsPage(visit);
  }
}

function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
}

/** RFC 6749 §3.1: no parameter stands twice. */
function isRepeated(answer: URLSearchParams): boolean {
  const names = [...answer.keys()];
  return new Set(names).size < names.length;
}
