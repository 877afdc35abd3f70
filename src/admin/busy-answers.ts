import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { LoopLoad } from '../common/loop-load.js';

const ADMIN_PATH = '/api/';
/** From this load of the event loop on. */
const BUSY = 0.75;
const HEADER = 'a2a-hub-busy';

/** Answers of the admin API say that the process is busy, while it is: pages that are open ask less often then. */
@Injectable()
export class BusyAnswers {
  private readonly loop = new LoopLoad();

  mark(server: FastifyInstance): void {
    server.addHook('onSend', ({ principal, url }, reply, payload, done) => {
      // How busy is nobody's business but that of who reads the metrics.
      const isMarked = principal && url.startsWith(ADMIN_PATH) && this.loop.load >= BUSY;
      if (isMarked) void reply.header(HEADER, '1');
      done(null, payload);
    });
  }
}
