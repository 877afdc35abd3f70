import { maskedDatabaseUrl } from '../common/database-url.js';
import { ID } from '../common/id-pattern.js';
import { declaredList } from './declared-list.js';
import { declaredSubscriptions } from './declared-subscriptions.js';
import {
  choice,
  days,
  duration,
  durations,
  flag,
  number,
  optionalHttpUrl,
  optionalText,
  ports,
  size,
  text,
  texts,
} from './setting-kinds.js';
import { origins } from './origins.js';
import { Section, type ValuesOf } from './setting.js';
import { quotaOverrides } from './quota-overrides.js';
import { secretKeys } from './secret-keys.js';
import { trustedKeys } from './trusted-keys.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KIB = 1024;
const MIB = 1024 * KIB;

const COMPOSITE_SKILLS =
  'a list of composite skills (in a file only), each with id, name, description and steps, and ' +
  'optionally tags, examples, inputModes, outputModes, organizations, enabled, deadlineSeconds, ' +
  'maxCalls; see docs/orchestration.md';
/** Their headers may be secrets, so all of it is masked. */
const AGENTS =
  'a list of agents (in a file only), each with id and either cardUrl or card, and optionally ' +
  'cardHeaders, cardKeys, endpoint, protocolBinding, protocolVersion, headers, tags, priority, weight, maxConcurrent, maxQueue, enabled, organizations, budgets {connect, firstEvent, idle, total, cancelWait}, switches {streaming, blocking, pollInterval, files}';
const RULES =
  'a list of rules (in a file only), each with name and target, and optionally id, ' +
  'enabled, conditions; see docs/routing-rules.md';

/** Every setting of the hub, declared once. Members carry their unit; keys in YAML do not. */
export const SETTINGS = {
  server: new Section('The HTTP server.', {
    host: text({
      default: '127.0.0.1',
      description: 'The address to listen on; 0.0.0.0 for every interface.',
    }),
    port: number({
      min: 0,
      max: 65_535,
      default: 4000,
      description: 'The port to listen on; 0 takes any free one, which is printed.',
    }),
    bodyLimit: size({
      min: KIB,
      max: 1024 * MIB,
      default: 10 * MIB,
      description: 'The largest request body of the A2A API.',
    }),
    adminBodyLimit: size({
      min: KIB,
      max: 16 * MIB,
      default: MIB,
      description: 'The largest request body of the admin API.',
    }),
    maxValues: number({
      min: 1000,
      max: 10_000_000,
      default: 50_000,
      description:
        'The most values in one A2A request, counted by the braces, brackets, commas and colons of its JSON, or by the fields of its protobuf message. Each costs time in which nobody else is served.',
    }),
    maxBodyBytes: size({
      min: MIB,
      max: 64 * 1024 * MIB,
      default: 64 * MIB,
      description:
        'Bytes of A2A requests over 64KiB that one process receives and works on at once; a principal may have a quarter of them, an organization half. Others wait up to 10s. At most a sixteenth of the heap.',
    }),
    maxOpenCalls: number({
      min: 1,
      max: 1_000_000,
      default: 10_000,
      description:
        'A2A calls, streams and waiting sends among them, that are open in one process at once. One organization alone may have nine tenths of them.',
    }),
    drainMs: duration({
      max: HOUR,
      default: 10 * SECOND,
      description: 'How long requests in flight may take to end after SIGTERM.',
    }),
    corsOrigins: origins({
      default: [],
      description:
        'Origins (https://app.example.com) whose pages may call the hub from a browser, with a key also under auth.mode none: A2A over HTTP and the admin API alike; * for every origin. Empty: none but its own.',
    }),
    rateLimit: new Section('How often one principal may call the A2A API of one process.', {
      requestsPerSecond: number({
        min: 0,
        max: 100_000,
        default: 0,
        description: 'Requests in one second; 0 for no limit.',
      }),
      burst: number({
        min: 0,
        max: 1_000_000,
        default: 20,
        description: 'Requests above that in ten seconds.',
      }),
      maxWaiting: number({
        min: 1,
        max: 1_000_000,
        default: 5000,
        description:
          'Requests of one principal that may wait for their turn while others have requests, too; what is more is refused. Who is alone has only the limit of the process, 20,000.',
      }),
    }),
  }),

  grpc: new Section('The gRPC server, on a port of its own.', {
    port: number({
      min: -1,
      max: 65_535,
      default: 0,
      description: 'The port to listen on; 0 for no gRPC, -1 for any free one, which is printed.',
    }),
    publicUrl: optionalHttpUrl({
      default: null,
      description:
        'The address clients reach the gRPC server at (https://grpc.example.com). Null: the host of publicUrl with this port.',
    }),
    tlsCertificate: optionalText({
      default: null,
      description:
        'The certificate chain as PEM, or file:PATH. Null: without TLS, for a proxy in front or a loopback host.',
      reference: true,
    }),
    tlsKey: optionalText({
      default: null,
      description: 'The private key of the certificate as PEM, or file:PATH; both or neither.',
      secret: true,
    }),
  }),

  publicUrl: optionalHttpUrl({
    default: null,
    description:
      'The address clients and agents reach the hub at; outward links come from it alone. Null: the listening address, for a loopback host only.',
  }),

  role: choice(['all', 'api', 'worker'], {
    default: 'all',
    description:
      'What this process does: api answers requests, worker runs tasks and delivers webhooks, all does both. api and worker need PostgreSQL.',
  }),

  database: new Section('Where the hub keeps everything.', {
    url: text({
      default: 'sqlite:data/hub.db',
      pattern: /^(sqlite:.+|postgres(ql)?:\/\/.+)$/,
      allowed: 'sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME',
      description:
        'SQLite in a file (one process; the path is relative to the working directory) or PostgreSQL.',
      secret: true,
      mask: maskedDatabaseUrl,
    }),
    synchronous: choice(['full', 'normal'], {
      default: 'full',
      description:
        'SQLite only. full survives a power cut; normal survives a crash of the process and is faster.',
    }),
    minFree: size({
      min: 0,
      max: 1024 * 1024 * MIB,
      default: 512 * MIB,
      description:
        "SQLite only. Room on the file's disk, with what is free in the file, below which new tasks and messages are refused, so that running tasks can still end; 0B for none.",
    }),
  }),

  secrets: new Section('How the secrets in the database are encrypted; docs/secrets.md.', {
    keys: secretKeys({
      default: [],
      description:
        'Keys that encrypt them (AES-256-GCM), each ID:KEY with 32 bytes as base64 (openssl rand -base64 32) or env:NAME, file:PATH. The first seals, all of them open. Needed with PostgreSQL. Empty on SQLite: one is made at the first start, in a file beside the database.',
    }),
  }),

  auth: new Section('Who may call the hub.', {
    mode: choice(['keys', 'none'], {
      default: 'keys',
      description:
        "keys asks every caller for an API key; none lets everybody in as the principal anonymous, on a loopback host only. Requests without a key then need a Host that is the hub's own, and those that may change something must not come from pages of other origins.",
    }),
    adminKey: optionalText({
      default: null,
      pattern: /^[\x21-\x7e]{24,}$/,
      allowed: '24 or more printable characters without spaces, or null',
      description:
        'The admin key. Null: one is made at the first start, shown once on a terminal, else written to a file beside the SQLite database (PATH.admin-key; with PostgreSQL data/admin-key below the working directory), which only its owner can read.',
      secret: true,
    }),
    allowOpen: flag({
      default: false,
      description: 'Allows auth.mode none on a host that is not loopback.',
    }),
    keylessGraceMs: duration({
      max: 365 * DAY,
      default: HOUR,
      description:
        'How long the subscriptions of a principal stay active after its last valid key, or its last key with the required scope, was revoked or expired. Then they are paused, without losing events, until it has such a key again; 0s pauses them at once.',
    }),
  }),

  egress: new Section('What the hub may connect to.', {
    allow: texts({
      default: [],
      description:
        'Hosts and CIDR blocks that agents, key sets and token servers may be at although they are private or plain http (10.0.0.0/8, 127.0.0.1, agents.internal). Webhooks have a list of their own: push.allow.',
    }),
    openPorts: ports({
      default: [],
      description:
        'Ports that may be called although they are of services that do not speak http (22, 25, 6379 …; docs/egress.md lists them). An entry of egress.allow with its port opens one for that host alone. Not for webhooks.',
    }),
    proxy: optionalText({
      default: null,
      pattern: /^https?:\/\/[^\s]+$/i,
      allowed:
        'http://host:port or https://host:port, with user:password@ before the host if needed, or null',
      description:
        'The proxy that connections go through, by CONNECT. Null: none; proxies named in the environment are never used.',
      secret: true,
      mask: (url) => (url ?? 'null').replace(/(:\/\/).*@/, '$1********@'),
    }),
    proxyCa: optionalText({
      default: null,
      description:
        'Certificates of the authorities trusted for a proxy at https, as PEM or file:PATH. Null: those that Node trusts.',
      reference: true,
    }),
    noProxy: texts({
      default: [],
      description: 'Hosts and CIDR blocks that are called without the proxy, as in egress.allow.',
    }),
    proxyResolves: flag({
      default: false,
      description:
        'Whether the proxy is given names instead of addresses, for a hub that cannot resolve them itself. It must refuse private addresses then; the hub calls only hosts in egress.allow (webhooks: push.allow), and public addresses.',
    }),
  }),

  routing: new Section('How agents are chosen.', {
    defaultAgent: optionalText({
      default: null,
      pattern: ID,
      allowed: "an agent's id, or null",
      description: 'The agent that takes a message nothing else routes. Null: it is rejected.',
    }),
    enforceMediaTypes: flag({
      default: false,
      description:
        'Whether agents that do not list the media types of a message, or none that the client takes back, are left out; else they only come after those that do.',
    }),
    text: flag({
      default: true,
      description:
        'Whether the text of a message that names nobody is compared with the names, tags, examples and descriptions of skills.',
    }),
    textThreshold: number({
      min: 0,
      max: 1,
      decimals: true,
      default: 0.4,
      description:
        'The least score by which text decides; 0.5 is one word in the name of a skill that no other has, or two in its description.',
    }),
    external: new Section(
      "A router of the operator's that is asked about messages which name nobody; docs/routing.md has its contract.",
      {
        url: optionalHttpUrl({
          default: null,
          description: 'Where it is asked, by POST. Null: nobody is asked.',
        }),
        token: optionalText({
          default: null,
          pattern: /^[\x21-\x7e]+$/,
          allowed: 'printable characters without spaces, or null',
          description: 'Sent to it as a Bearer token; needed with a url.',
          secret: true,
        }),
        timeoutMs: duration({
          min: 10,
          max: 10 * SECOND,
          default: 300,
          description: "How long its answer may take; the hub's own order counts after that.",
        }),
      },
    ),
  }),

  compositeSkills: declaredList(COMPOSITE_SKILLS, {
    default: [],
    description:
      'Composite skills: named plans of steps that agents work on, each one skill of the hub. They are there beside those made through the API; a change of the file takes effect while the hub runs.',
  }),

  rules: declaredList(RULES, {
    default: [],
    description:
      'Routing rules, asked in this order before those made through the API. Changes of the file count while the hub runs.',
  }),

  subscriptions: declaredSubscriptions({
    default: [],
    description:
      'Standing subscriptions: webhooks for all tasks of an organization, or those of some agents, tags or states. They are there beside those made through the API; changes of the file count while the hub runs.',
  }),

  card: new Section("The hub's own agent card.", {
    name: text({ default: 'A2A Hub', description: 'The name in the card.' }),
    description: text({
      default: 'One A2A endpoint in front of many agents, chosen by skill.',
      description: 'The description in the card.',
    }),
    version: optionalText({
      default: null,
      description: "The version in the card. Null: the hub's version.",
    }),
    provider: new Section('Who provides the hub; both or neither.', {
      organization: optionalText({ default: null, description: "The provider's name." }),
      url: optionalHttpUrl({ default: null, description: "The provider's website." }),
    }),
    grpcUrl: choice(['address', 'url'], {
      default: 'address',
      description:
        'How cards of 0.x name the gRPC server: by the address that 0.3 clients dial (host:port), or by the URL that the 0.3 specification and its conformance kit want (http://host:port).',
    }),
    sign: flag({
      default: true,
      description: "Whether the hub's card and those of its agents carry signatures of the hub.",
    }),
  }),

  signing: new Section(
    'The keys the hub signs with; their public parts are at /.well-known/jwks.json.',
    {
      rotateEveryMs: duration({
        min: HOUR,
        max: 3650 * DAY,
        default: 90 * DAY,
        description: 'How long a key signs before the next one takes over.',
      }),
      overlapMs: duration({
        max: 365 * DAY,
        default: 7 * DAY,
        description:
          'How long a key is published before it begins to sign and after it has ended; longer than anybody keeps the published keys or what was signed. At most half of rotateEvery.',
      }),
    },
  ),

  tasks: new Section('Tasks and their streams.', {
    blockingWaitMs: duration({
      default: 5 * MINUTE,
      description:
        'How long a blocking send waits for the end of a task; the working task is returned then.',
    }),
    firstEventWaitMs: duration({
      max: MINUTE,
      default: SECOND,
      description:
        "How long a stream's first answer waits for the agent's first event, which decides between a message and a task.",
    }),
    leaseMs: duration({
      min: SECOND,
      max: HOUR,
      default: 30 * SECOND,
      description:
        'How long a runner owns a delegation without renewing; another takes it over after that.',
    }),
    maxConcurrent: number({
      min: 0,
      max: 100_000,
      default: 0,
      description:
        'Delegations one process runs at once; the others wait in the queue. Each is an open connection at either end. 0: as many as memory, heap and open files allow, 10000 at most.',
    }),
    maxPerAgent: number({
      min: 0,
      max: 100_000,
      default: 0,
      description:
        'Of these, for one agent at most, so that a slow agent leaves places for others; 0 for three quarters of maxConcurrent. An agent can override it.',
    }),
    maxSizeBytes: size({
      min: MIB,
      max: 256 * MIB,
      default: 64 * MIB,
      description:
        'How large a task may become, all it holds as JSON; one that would be larger fails, and so does one whose log, with all that was replaced, would take more than 8 times as much.',
    }),
    maxDurationMs: duration({
      min: SECOND,
      max: 366 * DAY,
      default: 24 * HOUR,
      description:
        'How long a task may be open in all, the time it waits for its client included; what is open of it then is canceled.',
    }),
    maxCalls: number({
      min: 1,
      max: 100_000,
      default: 100,
      description:
        'Messages the hub sends to agents for one task at most: steps, failovers, further messages and those sent again. A client may ask for less, a composite skill may say otherwise.',
    }),
    maxHops: number({
      min: 1,
      max: 64,
      default: 8,
      description:
        'How many hubs a message may pass, this one included; one that comes to a further hub is taken for a loop and rejected.',
    }),
    acceptClientTaskIds: flag({
      default: false,
      description:
        'An unknown task id in a message creates the task under that id, as A2A 0.2.5 did, instead of TaskNotFound.',
    }),
    waitUnasked: choice(['auto', 'always', 'never'], {
      default: 'auto',
      description:
        'Whether a 0.x send waits for its task when the client leaves `blocking` out, as most of them expect; auto: unless acceptClientTaskIds, whose clients know the id and ask for the task. One that does not wait is answered once the agent has taken it up, or after firstEventWait.',
    }),
    heartbeatMs: duration({
      max: HOUR,
      default: 15 * SECOND,
      description: 'The pause after which a silent stream gets a comment; 0s for none.',
    }),
    streamBufferBytes: size({
      min: 64 * KIB,
      max: 1024 * MIB,
      default: 4 * MIB,
      description: 'A stream reader that leaves more than this unread is dropped; it can resume.',
    }),
    contextTtlDays: days({
      min: 1,
      max: 3650,
      default: 30,
      description: 'How long an unused context keeps its affinity to agents.',
    }),
    retentionDays: days({
      min: 0,
      max: 3650,
      default: 30,
      description:
        'How long a task is kept after its end, with its log, webhooks and deliveries; 0d keeps all of them. A task with undelivered events is kept until they are delivered or dead letters.',
    }),
    attachReferences: flag({
      default: false,
      description:
        'Whether the artifacts of a task that a message refers to (referenceTaskIds) are attached to it, for an agent that does not have that task. Together 1 MiB at most.',
    }),
    historyLimit: number({
      min: 1,
      max: 100_000,
      default: 1000,
      description: "The most messages of a task's history in one answer.",
    }),
    resend: choice(['fail', 'again'], {
      default: 'fail',
      description:
        'What happens to a message that may or may not have reached its agent, after a crash or when the agent broke off before it answered: the task fails with that reason, or it is sent again under the same message id, three times at most and to nobody else.',
    }),
  }),

  quotas: new Section(
    'How much of the hub one organization, and one principal of it, may take; a task beyond it is refused (QUOTA_EXCEEDED). docs/limits.md.',
    {
      organization: new Section('All principals of one organization together.', {
        openTasks: number({
          min: 0,
          max: 10_000_000,
          default: 50_000,
          description: 'Tasks that have not ended; 0 for no limit.',
        }),
        tasksPerDay: number({
          min: 0,
          max: 1_000_000_000,
          default: 0,
          description: 'Tasks begun in one day (UTC); 0 for no limit.',
        }),
        storedBytes: size({
          name: 'storedBytes',
          min: 0,
          max: 1024 * 1024 * MIB,
          default: 40 * 1024 * MIB,
          description:
            'What is stored of its tasks: messages, answers, their log and checkpoints; 0B for no limit.',
        }),
        diskShare: number({
          min: 0,
          max: 100,
          default: 25,
          description:
            'SQLite only. Per cent of the room that the database has or can have on its disk, as a further limit to storedBytes; 0 for none.',
        }),
      }),
      principal: new Section('One principal, whatever number of keys it has.', {
        openTasks: number({
          min: 0,
          max: 10_000_000,
          default: 20_000,
          description: 'Tasks that have not ended; 0 for no limit.',
        }),
        tasksPerDay: number({
          min: 0,
          max: 1_000_000_000,
          default: 0,
          description: 'Tasks begun in one day (UTC); 0 for no limit.',
        }),
        storedBytes: size({
          name: 'storedBytes',
          min: 0,
          max: 1024 * 1024 * MIB,
          default: 10 * 1024 * MIB,
          description: 'What is stored of its tasks; 0B for no limit.',
        }),
      }),
      overrides: quotaOverrides({
        default: [],
        description: 'Other limits for single organizations and principals.',
      }),
    },
  ),

  agents: new Section('Calls to agents; the budgets are defaults that an agent can override.', {
    connectMs: duration({
      min: 1,
      max: 10 * MINUTE,
      default: 5 * SECOND,
      description: 'Budget for connecting to an agent.',
    }),
    firstEventMs: duration({
      min: 1,
      default: 60 * SECOND,
      description: "Budget from sending a message to the agent's first event or answer.",
    }),
    idleMs: duration({
      min: 1,
      default: 10 * MINUTE,
      description: 'Budget between two events of a running task.',
    }),
    totalMs: duration({
      min: 1,
      default: 24 * HOUR,
      description: 'Budget from the first send to the end of a task.',
    }),
    cancelWaitMs: duration({
      min: 1,
      max: HOUR,
      default: 10 * SECOND,
      description: "How long a cancel waits for the agents' answers.",
    }),
    interfaceRetryMs: duration({
      min: 0,
      max: HOUR,
      default: 30 * SECOND,
      description:
        'How long an interface of an agent that could not be connected to is passed over for the next one of its card.',
    }),
    pollMinMs: duration({
      min: 10,
      max: HOUR,
      default: 500,
      description: 'The first pause between two looks at a task of an agent that cannot stream.',
    }),
    pollMaxMs: duration({
      min: 10,
      max: HOUR,
      default: 15 * SECOND,
      description: 'The longest such pause.',
    }),
    maxQueue: number({
      min: 1,
      max: 1_000_000,
      default: 10_000,
      description:
        'Delegations that may wait for one agent; a message that only a full agent could take is refused, unless its organization and its principal have less than their equal share there. An agent can override it.',
    }),
    readBudgetBytes: size({
      min: MIB,
      max: 4096 * MIB,
      default: 64 * MIB,
      description:
        "What one process holds at once of agents' answers until they are stored, over all agents; one agent has at most half. Answers up to 64 KiB do not count; of larger ones than that leaves room for, one at a time is read. Others wait.",
    }),
    health: new Section('How agents are watched, by each process on its own.', {
      probeIntervalMs: duration({
        max: DAY,
        default: 30 * SECOND,
        description:
          'How long an agent may go unheard before its card is looked at, give or take a fifth; 0s never looks.',
      }),
      probeTimeoutMs: duration({
        min: 1,
        max: 10 * MINUTE,
        default: 5 * SECOND,
        description: 'How long such a look may take.',
      }),
      failuresToDown: number({
        min: 2,
        max: 100,
        default: 3,
        description:
          'Failures in a row after which an agent is down and its breaker opens: it gets no work for a while. One alone makes it degraded.',
      }),
      successesToHealthy: number({
        min: 1,
        max: 100,
        default: 2,
        description: 'Successes in a row after which an agent that has failed is healthy again.',
      }),
      failureRate: number({
        min: 0.01,
        max: 1,
        decimals: true,
        default: 0.5,
        description:
          'The share of failures among the last 10 to 20 calls of a minute that opens the breaker as well.',
      }),
      openMinMs: duration({
        min: 1,
        max: DAY,
        default: 5 * SECOND,
        description:
          'How long the breaker stays open the first time, up to a fifth less; each time after it twice as long, until a call succeeds.',
      }),
      openMaxMs: duration({
        min: 1,
        max: DAY,
        default: 5 * MINUTE,
        description: 'The longest it stays open.',
      }),
    }),
    callbacks: choice(['auto', 'off'], {
      default: 'auto',
      description:
        'Whether an agent that cannot stream but can push is given an address of the hub to call when its task has changed. auto: when publicUrl is set; such an agent is then asked for its task seldom. off: it is only polled.',
    }),
    cardSignatures: choice(['off', 'if-present', 'require'], {
      default: 'if-present',
      description:
        'Whether signatures of agent cards are verified. require takes only cards with a signature by a trusted key; if-present refuses those whose signature does not match, and shows the others as unsigned or unverified; off does not look.',
    }),
    trustedKeys: trustedKeys({
      default: [],
      description:
        'Where the public keys are that sign the cards of an origin. For other origins a key set counts that a signature names (jku) and that is on the origin of the card itself.',
    }),
    declared: declaredList(AGENTS, {
      default: [],
      secret: true,
      mask: (agents) => agents.map(({ id }) => String(id)).join(', '),
      description: 'Agents registered at start, beside those registered through the API.',
    }),
  }),

  push: new Section('Delivery of webhooks.', {
    allow: texts({
      default: [],
      description:
        'Hosts and CIDR blocks that webhooks may go to although they are private or plain http, in the forms of egress.allow: 10.20.0.0/16 for every organization, acme=hooks.internal for the organization acme.',
    }),
    showAllowedAnswers: flag({
      default: false,
      description:
        'Whether answers of receivers that only push.allow opens are recorded and shown to the owners of webhooks; else they see the status alone.',
    }),
    verification: choice(['off', 'optional', 'required'], {
      default: 'optional',
      description:
        'Whether receivers have to agree to be called (docs/delivery.md). optional: those that have not get what push.unverified says; required: they get nothing, and what is for them waits; off: all get everything.',
    }),
    trustedHosts: texts({
      default: [],
      description:
        'Hosts and CIDR blocks whose receivers count as having agreed, in the forms of push.allow: hooks.example.com, *.acme.example for every organization, acme=10.20.0.0/16 for the organization acme. It opens nothing.',
    }),
    unverified: new Section(
      'Limits for receivers that have not agreed to be called; deliveries beyond them wait.',
      {
        atOnce: number({
          min: 1,
          max: 1000,
          default: 2,
          description: 'Concurrent attempts to one such receiver, over all processes.',
        }),
        requestsPerMinute: number({
          min: 1,
          max: 1_000_000,
          default: 600,
          description:
            'Requests per minute to one such receiver; as many may be sent at once after a minute without any.',
        }),
        bytesPerMinute: size({
          min: KIB,
          max: 1024 * MIB,
          default: 2 * MIB,
          description: 'Bytes of bodies per minute to one such receiver.',
        }),
        principal: new Section(
          'What the webhooks of one principal may send to all such receivers together.',
          {
            requestsPerMinute: number({
              min: 1,
              max: 1_000_000,
              default: 1200,
              description: 'Requests in a minute.',
            }),
            bytesPerMinute: size({
              min: KIB,
              max: 1024 * MIB,
              default: 4 * MIB,
              description: 'Bytes of bodies in a minute.',
            }),
            receivers: number({
              min: 1,
              max: 100_000,
              default: 20,
              description: 'Different receivers in ten minutes; deliveries to more receivers wait.',
            }),
          },
        ),
      },
    ),
    scheduleMs: durations({
      default: [1, 5, 30, 300, 1800, 7200, 18_000, 36_000, 36_000].map((s) => s * SECOND),
      description:
        'The delay before each retry; after the last one the delivery becomes a dead letter.',
    }),
    jitter: number({
      min: 0,
      max: 1,
      decimals: true,
      default: 0.2,
      description:
        'The fraction of each delay that is random, in both directions: 0.2 makes 10s 8s to 12s.',
    }),
    connectTimeoutMs: duration({
      min: 1,
      max: 10 * MINUTE,
      default: 5 * SECOND,
      description: 'How long connecting to a receiver may take.',
    }),
    timeoutMs: duration({
      min: 1,
      max: 10 * MINUTE,
      default: 15 * SECOND,
      description: 'How long one attempt may take in all.',
    }),
    maxConcurrent: number({
      min: 1,
      max: 10_000,
      default: 200,
      description: 'Concurrent attempts of one process, to all endpoints together.',
    }),
    maxPerEndpoint: number({
      min: 1,
      max: 1000,
      default: 10,
      description: 'Concurrent attempts to one endpoint, over all processes.',
    }),
    startPerEndpoint: number({
      min: 1,
      max: 1000,
      default: 2,
      description:
        'Concurrent attempts to an endpoint that has not answered yet, or not since it failed; each success doubles the number up to maxPerEndpoint.',
    }),
    breaker: new Section(
      'The circuit breaker of an endpoint: when it opens, one delivery stream probes the endpoint and the others wait.',
      {
        failures: number({
          min: 1,
          max: 1000,
          default: 5,
          description: 'Consecutive failures that open the circuit breaker.',
        }),
        pauseMs: duration({
          min: 1,
          default: 5 * SECOND,
          description:
            'The pause before the first half-open probe; it doubles with every probe that fails.',
        }),
        maxPauseMs: duration({
          min: 1,
          default: 5 * MINUTE,
          description: 'The longest pause between two half-open probes.',
        }),
      },
    ),
    disableAfterMs: duration({
      min: SECOND,
      default: 120 * HOUR,
      description:
        'How long every attempt at an endpoint must have failed before its webhooks are disabled; their pending deliveries become dead letters.',
    }),
    maxBodyBytes: size({
      min: KIB,
      max: 64 * MIB,
      default: MIB,
      description:
        'The largest webhook body; a larger one is replaced by a truncated payload with a link.',
    }),
    responseBytes: size({
      name: 'responseLimit',
      min: 0,
      max: MIB,
      default: 4 * KIB,
      description: "How much of a receiver's response is recorded.",
    }),
    retryAfterMaxMs: duration({
      default: HOUR,
      description: 'The longest Retry-After of a receiver that is honoured.',
    }),
    maxSubscriptions: number({
      min: 0,
      max: 10_000,
      default: 100,
      description:
        'Subscriptions that one organization may create through the API; declared ones do not count.',
    }),
    attemptRetentionDays: days({
      min: 1,
      max: 3650,
      default: 30,
      description: 'How long the record of an attempt is kept.',
    }),
    deadLetterRetentionDays: days({
      min: 0,
      max: 3650,
      default: 90,
      description:
        'How long a dead letter is kept; 0d keeps it as long as its task. A deleted one cannot be redelivered.',
    }),
    backlogMaxAgeDays: days({
      min: 1,
      max: 3650,
      default: 30,
      description:
        'How old the backlog of a paused webhook may become. Until then its task is not deleted, however old; after that, the backlog becomes dead letters.',
    }),
    rotationOverlapMs: duration({
      max: 30 * DAY,
      default: DAY,
      description:
        'How long requests are also signed with the previous key after the key of an auth profile was rotated; a rotation may set another time.',
    }),
  }),

  log: new Section('The log, on standard output.', {
    level: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      default: 'info',
      description: 'The least severe entries that are written.',
    }),
    format: choice(['auto', 'json', 'pretty'], {
      default: 'auto',
      description:
        'json: one JSON object per line. pretty: lines for people. auto: pretty where standard output is a terminal, else json.',
    }),
    requests: flag({
      default: true,
      description:
        'Writes a line at level info for each request that has ended: its id, caller, operation, task, status and time. Those of health and metrics are at level debug; what failed inside the hub is always written.',
    }),
  }),
} as const;

/** The values of {@link SETTINGS} as plain data. */
export type Settings = ValuesOf<typeof SETTINGS>;
