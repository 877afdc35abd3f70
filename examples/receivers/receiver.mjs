// Receives the webhooks of an A2A Hub: verifies each, uses it once and in order, prints one JSON line.
//   node examples/receivers/receiver.mjs --port 8080 --secret whsec_...
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
// Once it is installed: import { ... } from 'a2a-hub-receiver';
import {
  answerChallenge,
  createVerifier,
  Inbox,
  WebhookVerificationError,
} from '../../receiver/index.js';

const HELP = `Receives the webhooks of an A2A Hub and prints one JSON line for each event.

  --port N             where to listen; 0 (the default) takes any free port
  --host ADDRESS       default 127.0.0.1
  --secret KEY         HMAC: whsec_...
  --public-key KEY     ed25519: whpk_...
  --jwks URL           JWT: the keys of the hub, https://HUB/.well-known/jwks.json
  --issuer URL         JWT: the hub's public address
  --audience ORIGIN    JWT: the origin that the webhook is registered under
  --organization NAME  JWT: the organization whose webhook it is
  --hub NAME           host name of the hub that may call without limits; default *: any
  --bearer TOKEN       Authorization: Bearer
  --token TOKEN        A2A-Notification-Token
  --help

All that is given must hold; one at least is needed. --secret, --public-key, --bearer and --token may be
given several times while they rotate. Others on this machine can read options: WEBHOOK_SECRET,
WEBHOOK_BEARER and WEBHOOK_TOKEN may hold them instead, several between spaces.`;

/** Bodies are up to 1 MiB unless the operator of the hub allows more. */
const MAX_BODY = 4 * 1024 * 1024;

const several = { type: 'string', multiple: true };
const OPTIONS = {
  port: { type: 'string', default: '0' },
  host: { type: 'string', default: '127.0.0.1' },
  secret: several,
  'public-key': several,
  jwks: { type: 'string' },
  issuer: { type: 'string' },
  audience: { type: 'string' },
  organization: { type: 'string' },
  hub: { type: 'string', multiple: true, default: ['*'] },
  bearer: several,
  token: several,
  help: { type: 'boolean' },
};

const { options, verify } = begin();
// It forgets with the process. Give it a store of yours, beside what you keep of each task.
const inbox = new Inbox();

const server = createServer(async (request, response) => {
  const agreed = answerChallenge(request, options.hub);
  if (agreed) return response.writeHead(200, agreed).end();
  response.writeHead(await statusFor(request)).end();
});
server.listen(Number(options.port), options.host, () => {
  console.log(`listening at http://${options.host}:${server.address().port}`);
});

/** Reads the options; ends the program when they are wrong, or ask for help only. */
function begin() {
  try {
    const { values: options } = parseArgs({ options: OPTIONS });
    if (!options.help) return { options, verify: verifierOf(options) };
    console.log(HELP);
    process.exit(0);
  } catch (error) {
    console.error(`${error.message}\nSee --help.`);
    process.exit(2);
  }
}

function verifierOf(options) {
  const { jwks: jwksUrl, issuer, audience, organization } = options;
  const { env } = process;
  return createVerifier({
    secrets: options.secret ?? env.WEBHOOK_SECRET?.split(' '),
    publicKeys: options['public-key'],
    bearer: options.bearer ?? env.WEBHOOK_BEARER?.split(' '),
    token: options.token ?? env.WEBHOOK_TOKEN?.split(' '),
    jwt: jwksUrl ? { jwksUrl, issuer, audience, organization } : undefined,
  });
}

/** What the hub is answered. It sends again what is not answered with 2xx. */
async function statusFor(request) {
  try {
    if (request.method !== 'POST') return 405;
    const body = await rawBody(request);
    if (body === undefined) return 413;
    const delivery = await verify({ headers: request.headers, body });
    const verdict = await inbox.take(delivery, (verdict) => use(delivery, verdict));
    print(delivery, verdict);
    return 204;
  } catch (error) {
    if (error instanceof WebhookVerificationError) {
      console.error(`refused (${error.code}): ${error.message}`);
      return 401;
    }
    console.error(error);
    return 500;
  }
}

/**
 * Your own work: put it into a queue or a database, which is quick, and do the rest later. What fails here
 * comes again.
 */
function use({ isThin }, { isMissing }) {
  if (isThin || isMissing) {
    // Something was left out or never came: call GetTask of the hub.
  }
}

function print({ taskId, sequence, deliveryNumber, attempt, event }, { kind, isMissing }) {
  const [what] = ['task', 'statusUpdate', 'artifactUpdate', 'message'].filter((key) => event[key]);
  // 0.x sends the task itself.
  const update = what ? event[what] : event;
  const line = { kind, isMissing, taskId, sequence, deliveryNumber, attempt, what: what ?? 'task' };
  console.log(JSON.stringify({ ...line, state: update.status?.state }));
}

/** The bytes as they came, which are what is signed; undefined when there are too many. */
async function rawBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    // What is too much is read all the same: the hub hears no answer before.
    if (size <= MAX_BODY) chunks.push(chunk);
  }
  return size <= MAX_BODY ? Buffer.concat(chunks) : undefined;
}
