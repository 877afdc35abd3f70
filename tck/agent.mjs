// The reference agent of the conformance kit: it acts by the beginning of each messageId, speaks A2A
// 1.0 and 0.3 over JSON-RPC, HTTP+JSON and gRPC, and needs no hub.
import { parseArgs } from 'node:util';
import { startAgent } from './agent/start-agent.mjs';

const HELP = `node tck/agent.mjs [options]

Starts the reference agent on free ports of the loopback and prints where.

  --client-task-ids     open a task under the id a client chose, as A2A 0.2.5 did
  --work MS             how long a dialogue works before it asks for input; default 1200
  --long-work MS        how long one works that is subscribed to again; default 4000
  --help                show this
`;

const { values } = parseArgs({
  options: {
    'client-task-ids': { type: 'boolean', default: false },
    work: { type: 'string', default: '1200' },
    'long-work': { type: 'string', default: '4000' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
} else {
  const agent = await startAgent({
    acceptClientTaskIds: values['client-task-ids'],
    workMs: Number(values.work),
    longWorkMs: Number(values['long-work']),
  });
  console.log(`JSON-RPC at ${agent.jsonRpc}, HTTP+JSON at ${agent.rest}, gRPC at ${agent.grpc}`);
  console.log(`listening on ${agent.url}`);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => void agent.close().then(() => process.exit(0)));
  }
}
