// The bench's peer (a): a bare reverse proxy on Fastify and undici. It forwards bytes and keeps nothing.
//   node bench/targets/proxy.mjs '{"/light": "http://…", "/sdk": "http://…"}'
import fastify from 'fastify';
import { Pool } from 'undici';

const app = fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

for (const [path, target] of Object.entries(JSON.parse(process.argv[2]))) {
  const { origin, pathname } = new URL(target);
  const pool = new Pool(origin, { connections: 128, headersTimeout: 0, bodyTimeout: 0 });
  app.post(path, async (request, reply) => {
    const answer = await pool.request({
      path: pathname,
      method: 'POST',
      headers: {
        'content-type': request.headers['content-type'],
        'a2a-version': request.headers['a2a-version'],
      },
      body: request.body,
    });
    reply.code(answer.statusCode).header('content-type', answer.headers['content-type']);
    return reply.send(answer.body);
  });
}

const url = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(`listening on ${url}`);
