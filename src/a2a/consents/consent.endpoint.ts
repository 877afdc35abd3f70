import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hubErrorOf } from '../../common/hub-error.js';
import { ClientAddress } from '../../auth/index.js';
import { Log } from '../../common/logger.js';
import { PLAIN_PAGE_HEADERS } from '../../common/http/plain-page.js';
import { networkOf } from '../../common/network-of.js';
import { AppConfig, PublicUrl } from '../../config/index.js';
import { CONSENT_CALLBACK_PATH, CONSENT_PATH, TaskConsents } from '../../tasks/index.js';
import {
  type ConsentPage,
  linkPage,
  resultPage,
  tooManyPage,
  troublePage,
} from './consent-pages.js';
import { VisitBounds } from '../../common/http/visit-bounds.js';

/** It outlasts what is completed with it. */
const COOKIE_SECONDS = 20 * 60;
/** Characters of the state in the name of its cookie: a browser may have several links open. */
const NAMED_BY = 8;

/**
 * The pages of a consent, for browsers: the one a link leads to, and the one that providers send back to. Who opens them needs no key:
 * the id of the link is the secret, and a cookie holds the two together.
 */
@Injectable()
export class ConsentEndpoint implements OnModuleInit {
  private readonly addresses: ClientAddress;
  private readonly bounds = new VisitBounds();

  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly consents: TaskConsents,
    private readonly publicUrl: PublicUrl,
    private readonly log: Log,
    config: AppConfig,
  ) {
    this.addresses = new ClientAddress(config);
  }

  onModuleInit(): void {
    const server = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    // A HEAD would count as an opening.
    const shared = { method: 'GET', exposeHeadRoute: false, config: { access: 'secret' } } as const;
    server.route<{ Params: { id: string } }>({
      ...shared,
      url: `${CONSENT_PATH}/:id`,
      handler: (request, reply) =>
        this.answer(request, reply, () => this.show(request.params.id, reply)),
    });
    server.route({
      ...shared,
      url: CONSENT_CALLBACK_PATH,
      handler: (request, reply) => this.answer(request, reply, () => this.complete(request)),
    });
  }

  private async show(id: string, reply: FastifyReply): Promise<ConsentPage> {
    const view = await this.consents.show(id);
    if (view.kind === 'ask') {
      const secure = this.isSecure ? '; Secure' : '';
      const rules = `Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
      void reply.header('set-cookie', `${this.cookieOf(view.state)}=${view.browser}; ${rules}`);
    }
    if (view.kind === 'too-often') void reply.header('retry-after', String(view.seconds));
    return linkPage(view, this.publicUrl.base);
  }

  private async complete(request: FastifyRequest): Promise<ConsentPage> {
    const { url } = request;
    const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
    const answer = new URLSearchParams(query);
    const browser = this.browserOf(request, answer.get('state') ?? '');
    return resultPage(await this.consents.complete(answer, browser));
  }

  /** Answers with a page, whatever happens. */
  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    make: () => Promise<ConsentPage>,
  ): Promise<FastifyReply> {
    const { status, html } = await this.within(request, reply, make).catch((error: unknown) => {
      const err = hubErrorOf(error);
      const { id: requestId } = request;
      this.log.error({ err, requestId, reason: err.reason }, 'a page of a consent failed');
      return troublePage();
    });
    return reply
      .status(status)
      .headers(PLAIN_PAGE_HEADERS)
      .type('text/html; charset=utf-8')
      .send(html);
  }

  /** Who guesses or floods is told to wait, and costs the database nothing more. */
  private async within(
    { headers, socket }: FastifyRequest,
    reply: FastifyReply,
    make: () => Promise<ConsentPage>,
  ): Promise<ConsentPage> {
    const address = this.addresses.of(headers, socket);
    // Those whose address no proxy tells are not taken for one.
    if (address === undefined) return make();
    const isMiss = (page: ConsentPage): boolean => page.isMiss === true;
    const visit = await this.bounds.within(networkOf(address), make, isMiss);
    if ('result' in visit) return visit.result;
    void reply.header('retry-after', String(visit.seconds));
    return tooManyPage(visit);
  }

  private get isSecure(): boolean {
    return this.publicUrl.base.startsWith('https:');
  }

  /** With TLS no other host, and no page without TLS, can set one of this name. */
  private cookieOf(state: string): string {
    return `${this.isSecure ? '__Host-' : ''}a2a-hub-consent-${state.slice(0, NAMED_BY)}`;
  }

  private browserOf({ headers }: FastifyRequest, state: string): string | undefined {
    const start = `${this.cookieOf(state)}=`;
    const found = headers.cookie?.split(';').map((each) => each.trim());
    return found?.find((each) => each.startsWith(start))?.slice(start.length);
  }
}
