import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { CallAdmission } from '../a2a/index.js';
import type { Access } from '../auth/index.js';

const ADMIN_PATH = '/api/';
/** Routes of the admin API that are for the callers of agents as well. */
const OF_CALLERS: ReadonlySet<Access> = new Set<Access>(['a2a', 'a2a|access:organization']);

/**
 * Routes of the admin API that the scope `a2a` opens count against their caller's requests a second, as its requests to agents do, before
 * their body is read. Those of operators do not: a limit that has been reached must not keep them from changing it.
 */
@Injectable()
export class AdminRates {
  constructor(private readonly admission: CallAdmission) {}

  /** To be called once callers are known: see `HttpAccess.guard`. */
  count(server: FastifyInstance): void {
    server.addHook('onRequest', (request, _reply, done) => {
      const { principal, url } = request;
      const isCounted =
        principal !== null &&
        url.startsWith(ADMIN_PATH) &&
        OF_CALLERS.has(request.routeOptions.config.access as Access);
      if (!isCounted) return done();
      this.admission.count(principal).then(() => done(), done);
    });
  }
}
