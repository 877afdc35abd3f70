// The lightest A2A 1.0 agent there can be: node:http and nothing else. It shows what the hub costs.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify(card()));
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => answer(JSON.parse(Buffer.concat(chunks).toString()), response));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`listening on ${url()}`));

function answer({ id, method, params }, response) {
  const taskId = randomUUID();
  const contextId = params.message.contextId || randomUUID();
  if (method === 'SendMessage') {
    response.writeHead(200, { 'content-type': 'application/json' });
    const task = {
      ...taskOf(taskId, contextId, params.message, 'TASK_STATE_COMPLETED'),
      artifacts: [artifact()],
    };
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { task } }));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const begun = { task: taskOf(taskId, contextId, params.message, 'TASK_STATE_WORKING') };
  // One that is to stay open.
  if (params.message.parts[0].text === 'stay') return response.write(textOf(id, begun));
  const events = [
    begun,
    { artifactUpdate: { taskId, contextId, artifact: artifact(), lastChunk: true } },
    { statusUpdate: { taskId, contextId, status: status('TASK_STATE_COMPLETED') } },
  ];
  response.end(events.map((result) => textOf(id, result)).join(''));
}

function textOf(id, result) {
  return `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`;
}

function taskOf(id, contextId, message, state) {
  return { id, contextId, status: status(state), history: [{ ...message, taskId: id, contextId }] };
}

function status(state) {
  return { state, timestamp: new Date().toISOString() };
}

function artifact() {
  return { artifactId: 'answer', name: 'Answer', parts: [{ text: 'the answer' }] };
}

function card() {
  return {
    name: 'Light agent',
    description: 'Answers at once.',
    version: '1.0.0',
    supportedInterfaces: [{ url: url(), protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'answer', name: 'Answer', description: 'Answers at once.', tags: ['answer'] }],
  };
}

function url() {
  return `http://127.0.0.1:${server.address().port}/`;
}
