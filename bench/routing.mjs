// How long the hub's routing service takes to choose, against a number of registered skills. A process
// of its own: a hub is built here from dist/, agents are registered through its admin API, and the
// service that every send asks is called directly, so that no HTTP is in the figures.
//   node bench/routing.mjs SKILLS MILLISECONDS
// Prints one line of JSON: per kind of request the median and the 99th percentile in microseconds, and
// the share of texts that went to the skill they are about.
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../dist/bootstrap.js';
import { RoutingService } from '../dist/routing/index.js';

const SKILLS_PER_AGENT = 5;
/** Calls before anything is measured: V8 compiles what runs often. */
const WARM_UP = 2000;
const ADMIN_KEY = 'bench-admin-key-0123456789abcdef';
const VERBS =
  words(`translate summarize classify extract review approve forecast schedule archive compare
  validate reconcile draft publish encrypt inspect measure negotiate order pack quote rank refund renew
  repair rotate sample scan sort stamp survey tag test trace train transcribe transfer verify weigh write`);
const OBJECTS =
  words(`invoices contracts tickets photos recordings shipments budgets payrolls patents recipes
  manuals warranties samples servers vehicles visas policies claims leases grants menus itineraries audits
  orders certificates`);

const [skillCount, milliseconds] = process.argv.slice(2).map(Number);
const skills = Array.from({ length: skillCount }, (_, index) => skillOf(index));
const directory = mkdtempSync(join(tmpdir(), 'a2a-hub-bench-routing-'));
const cards = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(cardOf(Number(request.url.split('/')[1]))));
});
await new Promise((resolve) => cards.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${cards.address().port}`;
const app = await createApp({
  config: {
    server: { host: '127.0.0.1', port: 0 },
    database: { url: `sqlite:${join(directory, 'hub.db')}` },
    auth: { adminKey: ADMIN_KEY },
    egress: { allow: ['127.0.0.0/8'] },
    log: { level: 'error' },
  },
});
try {
  await app.listen(0, '127.0.0.1');
  await registerAll(`http://127.0.0.1:${app.getHttpServer().address().port}`);
  const routing = app.get(RoutingService, { strict: false });
  const byText = await measure(routing, ({ text }) => request({}, text));
  const figures = {
    skills: skillCount,
    text: byText,
    tags: await measure(routing, ({ tags }) => request({ tags }, '')),
    skill: await measure(routing, ({ agentId, id }) =>
      request({ skillId: `${agentId}.${id}` }, ''),
    ),
    right: await shareRight(routing),
  };
  console.log(JSON.stringify(figures));
} finally {
  await app.close();
  cards.close();
  rmSync(directory, { recursive: true, force: true });
}

async function registerAll(url) {
  for (let agent = 0; agent * SKILLS_PER_AGENT < skillCount; agent++) {
    const response = await fetch(`${url}/api/v1/agents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: `agent-${agent}`, cardUrl: `${origin}/${agent}/card.json` }),
    });
    if (!response.ok) throw new Error(await response.text());
  }
}

/** Asks for one skill after another until the time is over, when the code and the index are warm. */
async function measure(routing, requestOf) {
  const requests = skills.map(requestOf);
  for (let turn = 0; turn < WARM_UP; turn++)
    await routing.route(requests[turn % requests.length], []);
  const times = [];
  const end = performance.now() + milliseconds;
  for (let turn = 0; performance.now() < end; turn++) {
    const start = performance.now();
    await routing.route(requests[(turn * 7) % requests.length], []);
    times.push((performance.now() - start) * 1000);
  }
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor((times.length - 1) * share)];
  return { p50: at(0.5), p99: at(0.99) };
}

async function shareRight(routing) {
  let right = 0;
  for (const { text, agentId, id } of skills) {
    const { chosen } = await routing.route(request({}, text), []);
    if (chosen[0].agentId === agentId && chosen[0].skillId === id) right += 1;
  }
  return right / skills.length;
}

function request(directive, text) {
  const part = { content: { $case: 'text', value: text }, filename: '', mediaType: '' };
  return {
    principal: { id: 'bench', organization: 'bench', scopes: new Set(['a2a']) },
    agentId: undefined,
    directive,
    extensions: [],
    message: { parts: [part], extensions: [], metadata: undefined },
    configuration: undefined,
    metadata: undefined,
  };
}

/** Every skill is another pair of a verb and what it is done to; each word is shared by many. */
function skillOf(index) {
  const verb = VERBS[index % VERBS.length];
  const round = Math.floor(index / VERBS.length);
  const object = OBJECTS[((index % VERBS.length) + 16 * round) % OBJECTS.length];
  return {
    agentId: `agent-${Math.floor(index / SKILLS_PER_AGENT)}`,
    id: `${verb}-${object}`,
    name: `${verb} ${object}`,
    description: `Can ${verb} ${object} of every department and says what was done.`,
    tags: [verb, object],
    examples: [`Please ${verb} the ${object} of last month`],
    text: `Hello, could you ${verb} our new ${object} until Friday, please?`,
  };
}

function cardOf(agent) {
  const own = skills.slice(agent * SKILLS_PER_AGENT, (agent + 1) * SKILLS_PER_AGENT);
  return {
    name: `Agent ${agent}`,
    description: 'An agent of the bench.',
    version: '1.0.0',
    supportedInterfaces: [
      { url: `${origin}/${agent}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: own.map(({ id, name, description, tags, examples }) => ({
      id,
      name,
      description,
      tags,
      examples,
    })),
  };
}

function words(text) {
  return text.trim().split(/\s+/);
}
