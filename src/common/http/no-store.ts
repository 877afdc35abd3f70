import type { FastifyInstance } from 'fastify';

/** The value of `Cache-Control` of what no cache may keep. */
export const NO_STORE = 'no-store';

/** What is for its caller and this moment alone, such as a new key. */
const OWN = /^\/(api|health|metrics)\b/;

/**
 * Answers of the admin API and of the probes, and every failure, say `Cache-Control: no-store` where they say nothing else of caches.
 * What takes the raw answer (streams) says its own.
 */
export function forbidStoring(server: FastifyInstance): void {
  server.addHook('onSend', ({ url }, reply, payload, done) => {
    const isMeant = reply.statusCode >= 400 || OWN.test(url);
    if (isMeant && !reply.hasHeader('cache-control')) void reply.header('cache-control', NO_STORE);
    done(null, payload);
  });
}
