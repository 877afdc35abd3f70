// An agent that streams as its address says: /streams/<chunks>/<ms apart> sends so many chunks of an artifact (0 ms:
// as fast as they are taken), /silent says nothing, /quick completes at once. Each has its card below it.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const CARD = '/.well-known/agent-card.json';

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify(card(request.url.replace(CARD, ''))));
  }
  let body = '';
  request.on('data', (data) => (body += data));
  request.on('end', () => void answer(request.url, JSON.parse(body), response));
});
server.keepAliveTimeout = 60_000;
server.listen({ port: 0, host: '127.0.0.1', backlog: 8192 }, () =>
  console.log(`listening on ${origin()}`),
);

async function answer(path, { id, params }, response) {
  const [, kind, chunks, apart] = path.split('/');
  response.on('error', () => undefined);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  if (kind === 'silent') return;
  const taskId = randomUUID();
  const contextId = params.message.contextId || randomUUID();
  const event = (result) =>
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
  const status = (state) => ({ state, timestamp: new Date().toISOString() });
  event({ task: { id: taskId, contextId, status: status('TASK_STATE_WORKING') } });
  for (let sent = 0; sent < Number(chunks ?? 0); sent++) {
    const artifact = { artifactId: 'a', parts: [{ text: `chunk ${sent}` }] };
    const lastChunk = sent + 1 === Number(chunks);
    const isTaken = event({
      artifactUpdate: { taskId, contextId, artifact, append: sent > 0, lastChunk },
    });
    if (response.destroyed) return;
    if (!isTaken) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    if (!lastChunk && Number(apart) > 0) await sleep(Number(apart));
  }
  event({ statusUpdate: { taskId, contextId, status: status('TASK_STATE_COMPLETED') } });
  response.end();
}

function card(path) {
  return {
    name: 'Stream agent',
    description: 'Streams chunks.',
    version: '1.0.0',
    supportedInterfaces: [
      { url: origin() + path, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'stream', name: 'Stream', description: 'Streams chunks.', tags: ['stream'] }],
  };
}

function origin() {
  return `http://127.0.0.1:${server.address().port}`;
}
