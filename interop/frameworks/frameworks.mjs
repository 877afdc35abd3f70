// The frameworks whose own servers stand behind the hub: how each is started, and where its card is. `asks` is what
// makes it ask, `answer` what it is answered with, and `asksInVain` how the task ends where the package has no question for
// it. One that `isTooOld` speaks a protocol before A2A 0.2, and has to be refused. `shows` is what a probe says of it beside
// what it says of most; the worker of one whose `cancelWaits` is busy, and one that `diesOfCancel` is not probed at work.
// `packages` names its requirements where they are not of its own name.

export const FRAMEWORKS = [
  python('google-adk', 'google_adk.py', { asks: 'ask' }),
  {
    id: 'langgraph',
    language: 'python',
    start: (bin, port) => ({
      command: `${bin}/langgraph`,
      args: ['dev', '--host', '127.0.0.1', '--port', `${port}`, '--no-browser', '--no-reload'],
      cwd: 'agents/langgraph',
    }),
    card: langGraphCard,
    asks: 'ask',
  },
  python('pydantic-ai', 'pydantic_ai_agent.py', {
    asks: 'ask',
    asksInVain: 'COMPLETED',
    shows: { listsTasks: 'no' },
    cancelWaits: true,
  }),
  python('pydantic-ai-1', 'pydantic_ai_agent.py', {
    asks: 'ask',
    asksInVain: 'COMPLETED',
    shows: { streams: 'not-tested' },
    cancelWaits: true,
  }),
  python('agno', 'agno_os.py', {
    path: '/a2a/agents/echo',
    asks: 'ask',
    asksInVain: 'COMPLETED',
  }),
  python('strands-agents', 'strands_agent.py', { asks: 'ask', answer: interruptResponse }),
  python('agent-framework', 'agent_framework_agent.py'),
  python('beeai-framework', 'beeai_agent.py', { diesOfCancel: true }),
  python('a2a-sdk', 'a2a_sdk.py', { asks: 'ask' }),
  ...['JSONRPC', 'HTTP+JSON', 'GRPC'].map((binding) =>
    python(`a2a-sdk-0-3${binding === 'JSONRPC' ? '' : `-${idOf(binding)}`}`, 'a2a_sdk_0_3.py', {
      packages: 'a2a-sdk-0-3',
      environment: { BINDING: binding },
      asks: 'ask',
      takesFiles: true,
    }),
  ),
  python('fasta2a', 'fasta2a_agent.py', {
    asks: 'ask',
    shows: { listsTasks: 'no' },
    cancelWaits: true,
  }),
  python('python-a2a', 'python_a2a_agent.py', { isTooOld: true }),
  go('a2a-go-json-rpc', 'JSONRPC'),
  go('a2a-go-http-json', 'HTTP+JSON'),
  go('a2a-go-grpc', 'GRPC'),
  java('a2a-java-0-3-json-rpc', 'java-agent', 'JSONRPC'),
  java('a2a-java-0-3-http-json', 'java-agent', 'HTTP+JSON'),
  java('a2a-java-json-rpc', 'java-agent-1', 'JSONRPC'),
  java('a2a-java-http-json', 'java-agent-1', 'HTTP+JSON'),
  java('a2a-java-grpc', 'java-agent-1', 'GRPC'),
];

/** Clients of SDKs against the hub, with an agent behind it. */
export const CLIENTS = [
  ...['JSONRPC', 'HTTP+JSON', 'GRPC'].map((binding) =>
    client('a2a-go-client', { language: 'go' }, binding, (bin) => [`${bin}/client`]),
  ),
  ...['JSONRPC', 'HTTP+JSON'].map((binding) =>
    javaClient('a2a-java-0-3-client', 'java-client', binding),
  ),
  ...['JSONRPC', 'HTTP+JSON', 'GRPC'].map((binding) =>
    javaClient('a2a-java-client', 'java-client-1', binding),
  ),
];

function javaClient(name, project, binding) {
  const command = (bin) => ['java', '-cp', `${bin}/classes:${bin}/lib/*`, 'Client'];
  return client(name, { language: 'java', project }, binding, command);
}

function client(name, { language, project }, binding, command) {
  const id = `${name}-${idOf(binding)}`;
  const environment = { BINDING: binding };
  return { id, language, project, agent: 'a2a-sdk', command, environment };
}

function idOf(binding) {
  return binding.toLowerCase().replace('+', '-');
}

function python(id, program, { path = '', environment, ...more } = {}) {
  return {
    id,
    language: 'python',
    start: (bin) => ({ command: `${bin}/python`, args: [program], cwd: 'agents', environment }),
    card: (port) => `http://127.0.0.1:${port}${path}`,
    ...more,
  };
}

function go(id, binding) {
  return {
    id,
    language: 'go',
    start: (bin) => ({
      command: `${bin}/agent`,
      args: [],
      cwd: 'go/agent',
      environment: { BINDING: binding },
    }),
    card: (port) => `http://127.0.0.1:${port}`,
    asks: 'ask',
    // Its store lists to callers it knows by name only.
    shows: { listsTasks: 'unclear' },
  };
}

/** Strands wants to know which of its interrupts is answered. */
function interruptResponse({ status }) {
  const [{ interruptId }] = status.message.parts.find(({ data }) => data).data.interrupts;
  return [{ data: { interruptResponse: { interruptId, response: 'blue' } } }];
}

function java(id, project, binding) {
  return {
    id,
    language: 'java',
    project,
    start: (bin) => ({
      command: 'java',
      args: ['-jar', `${bin}/quarkus-app/quarkus-run.jar`],
      cwd: project,
      environment: { BINDING: binding },
    }),
    card: (port) => `http://127.0.0.1:${port}`,
    asks: 'ask',
    takesFiles: true,
  };
}

/** `langgraph dev` has one card for each assistant, and wants to know which. */
async function langGraphCard(port) {
  const url = `http://127.0.0.1:${port}`;
  const response = await fetch(`${url}/assistants/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  const [{ assistant_id: id }] = await response.json();
  return `${url}/.well-known/agent-card.json?assistant_id=${id}`;
}
