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
        'The most values in one A2A request, counted by the braces, brackets, commas and colons of its JSON, or by the fields of its protobuf message. Reading them takes time in which no other request is served.',
    }),
    maxBodyBytes: size({
      min: MIB,
      max: 64 * 1024 * MIB,
      default: 64 * MIB,
      description:
        'Bytes of A2A requests over 64KiB that one process receives and works on at once; a principal may have a quarter of them, an organization half. Further requests wait up to 10s. At most a sixteenth of the heap.',
    }),
    maxOpenCalls: number({
      min: 1,
      max: 1_000_000,
      default: 10_000,
      description:
        'A2A calls open at once in one process, streams and blocking sends included. One organization may have nine tenths of them.',
    }),
    drainMs: duration({
      max: HOUR,
      default: 10 * SECOND,
      description: 'How long requests in flight may run on after SIGTERM.',
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
          'Requests of one principal that may be queued while other principals have requests too; further ones are refused. A principal with no competition has only the limit of the process, 20,000.',
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

  database: new Section('The database of the hub.', {
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
        'SQLite only. The least free space, on the disk and inside the file together; below it new tasks and messages are refused, so that running tasks can still end. 0B for no limit.',
    }),
  }),

  secrets: new Section('How the secrets in the database are encrypted; docs/secrets.md.', {
    keys: secretKeys({
      default: [],
      description:
        'Keys that encrypt them (AES-256-GCM), each ID:KEY with 32 bytes as base64 (openssl rand -base64 32) or env:NAME, file:PATH. The first key encrypts, all of them decrypt. Required with PostgreSQL. Empty on SQLite: a key is created at the first start, in a file beside the database.',
    }),
  }),

  auth: new Section('Who may call the hub.', {
    mode: choice(['keys', 'none'], {
      default: 'keys',
      description:
        "keys: every caller needs an API key. none: every caller is the principal anonymous, on a loopback host only; requests without a key then need the hub's own Host, and those that may change something are refused from pages of other origins.",
    }),
    adminKey: optionalText({
      default: null,
      pattern: /^[\x21-\x7e]{24,}$/,
      allowed: '24 or more printable characters without spaces, or null',
      description:
        'The admin key. Null: a key is created at the first start and shown once on a terminal, else written to a file beside the SQLite database (PATH.admin-key; with PostgreSQL data/admin-key below the working directory), which only its owner can read.',
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
        'How long the standing subscriptions of a principal stay active after its last valid key, or its last key with the scope they need, was revoked or expired. After that they are paused, and no event is lost, until it has such a key again; 0s pauses them at once.',
    }),
  }),

  egress: new Section('What the hub may connect to.', {
    allow: texts({
      default: [],
      description:
        'Hosts and CIDR blocks where agents, key sets and token servers are allowed although they are private or plain http (10.0.0.0/8, 127.0.0.1, agents.internal). Webhooks have a separate list: push.allow.',
    }),
    openPorts: ports({
      default: [],
      description:
        'Ports that may be called although they belong to services that do not speak http (22, 25, 6379 …; docs/egress.md lists them). An entry of egress.allow with its port opens one for that host alone. Not for webhooks.',
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
      description:
        'The agent that gets a message which nothing else routes. Null: such a message is rejected.',
    }),
    enforceMediaTypes: flag({
      default: false,
      description:
        'Whether agents are excluded that do not list the media types of a message, or none that the client accepts; otherwise they are only ranked after those that do.',
    }),
    text: flag({
      default: true,
      description:
        'Whether the text of a message that names no agent, skill or tags is compared with the names, tags, examples and descriptions of skills.',
    }),
    textThreshold: number({
      min: 0,
      max: 1,
      decimals: true,
      default: 0.4,
      description:
        'The minimum score at which the text decides; 0.5 is one word in the name of a skill that no other skill has, or two words in its description.',
    }),
    external: new Section(
      'An external router that is consulted about messages which name no agent, skill or tags; docs/routing.md has its contract.',
      {
        url: optionalHttpUrl({
          default: null,
          description: 'The URL of the external router, called by POST. Null: no external router.',
        }),
        token: optionalText({
          default: null,
          pattern: /^[\x21-\x7e]+$/,
          allowed: 'printable characters without spaces, or null',
          description: 'Sent to the external router as a Bearer token; required with a url.',
          secret: true,
        }),
        timeoutMs: duration({
          min: 10,
          max: 10 * SECOND,
          default: 300,
          description:
            "How long the external router may take to answer; after that the hub's own order is used.",
        }),
      },
    ),
  }),

  compositeSkills: declaredList(COMPOSITE_SKILLS, {
    default: [],
    description:
      'Composite skills: named plans of steps that agents carry out, each published as one skill of the hub. They exist beside those created through the API; a change of the file takes effect while the hub runs.',
  }),

  rules: declaredList(RULES, {
    default: [],
    description:
      'Routing rules, evaluated in this order before those created through the API. A change of the file takes effect while the hub runs.',
  }),

  subscriptions: declaredSubscriptions({
    default: [],
    description:
      'Standing subscriptions: webhooks for all tasks of an organization, or those of some agents, tags or states. They exist beside those created through the API; a change of the file takes effect while the hub runs.',
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
        'How cards of 0.x name the gRPC server: address is what 0.3 clients dial (host:port), url is what the 0.3 specification and its conformance kit expect (http://host:port).',
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
          'How long a key is published before it begins to sign and after it has stopped signing; longer than clients cache the published keys or the signed documents. At most half of rotateEvery.',
      }),
    },
  ),

  tasks: new Section('Tasks and their streams.', {
    blockingWaitMs: duration({
      default: 5 * MINUTE,
      description:
        'How long a blocking send waits for the task to end; after that the working task is returned.',
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
        'How long the lease of a process on a delegation lasts without renewal; after that another process takes the delegation over.',
    }),
    maxConcurrent: number({
      min: 0,
      max: 100_000,
      default: 0,
      description:
        'The most delegations one process runs concurrently; the others wait in the queue. Each takes a connection to its client and one to its agent. 0: as many as memory, heap and open files allow, 10000 at most.',
    }),
    maxPerAgent: number({
      min: 0,
      max: 100_000,
      default: 0,
      description:
        'The most of these for one agent, so that a slow agent leaves capacity for others; 0 for three quarters of maxConcurrent. An agent can override it.',
    }),
    maxSizeBytes: size({
      min: MIB,
      max: 256 * MIB,
      default: 64 * MIB,
      description:
        'The largest size of a task, all its content as JSON. A task that would become larger fails, and so does one whose log, replaced content included, would take more than 8 times as much.',
    }),
    maxDurationMs: duration({
      min: SECOND,
      max: 366 * DAY,
      default: 24 * HOUR,
      description:
        'How long a task may be open in total, the time it waits for its client included; what is still open then is canceled.',
    }),
    maxCalls: number({
      min: 1,
      max: 100_000,
      default: 100,
      description:
        'The most messages the hub sends to agents for one task: steps, failovers, further messages and resends. A client may ask for less; a composite skill may set its own limit.',
    }),
    maxHops: number({
      min: 1,
      max: 64,
      default: 8,
      description:
        'The most hubs a message may pass, this one included; a message that has passed more is taken for a loop and rejected.',
    }),
    acceptClientTaskIds: flag({
      default: false,
      description:
        'An unknown task id in a message creates the task under that id, as A2A 0.2.5 did, instead of TaskNotFound.',
    }),
    waitUnasked: choice(['auto', 'always', 'never'], {
      default: 'auto',
      description:
        'Whether a 0.x send that leaves `blocking` out waits for its task, as most clients expect. auto: it waits unless acceptClientTaskIds is set, whose clients know the id and poll the task. A send that does not wait is answered once an agent has accepted the message, or after firstEventWait.',
    }),
    heartbeatMs: duration({
      max: HOUR,
      default: 15 * SECOND,
      description: 'After how long without an event a stream gets a comment line; 0s for none.',
    }),
    streamBufferBytes: size({
      min: 64 * KIB,
      max: 1024 * MIB,
      default: 4 * MIB,
      description:
        'A stream reader with more unread bytes than this is disconnected; it can resume.',
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
        'How long a task is kept after its end, with its log, webhooks and deliveries; 0d keeps all tasks. A task with pending webhook deliveries is kept until they are delivered or dead letters.',
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
        'What happens to a message that may or may not have reached its agent, after a crash or when the connection broke before the answer: the task fails with that reason, or the message is sent again under the same message id, to the same agent and three times at most.',
    }),
  }),

  quotas: new Section(
    'How much one organization, and one principal of it, may use; a task beyond a quota is refused (QUOTA_EXCEEDED). See docs/limits.md.',
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
          description: 'Tasks created in one day (UTC); 0 for no limit.',
        }),
        storedBytes: size({
          name: 'storedBytes',
          min: 0,
          max: 1024 * 1024 * MIB,
          default: 40 * 1024 * MIB,
          description:
            'Bytes stored for its tasks: messages, answers, log and checkpoints; 0B for no limit.',
        }),
        diskShare: number({
          min: 0,
          max: 100,
          default: 25,
          description:
            'SQLite only. Percentage of the disk space that the database uses or can use, as a further limit to storedBytes; 0 for none.',
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
          description: 'Tasks created in one day (UTC); 0 for no limit.',
        }),
        storedBytes: size({
          name: 'storedBytes',
          min: 0,
          max: 1024 * 1024 * MIB,
          default: 10 * 1024 * MIB,
          description: 'Bytes stored for its tasks; 0B for no limit.',
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
        'How long an agent interface that could not be connected to is skipped in favour of the next one in its card.',
    }),
    pollMinMs: duration({
      min: 10,
      max: HOUR,
      default: 500,
      description: 'The initial polling interval for tasks of an agent that cannot stream.',
    }),
    pollMaxMs: duration({
      min: 10,
      max: HOUR,
      default: 15 * SECOND,
      description: 'The longest polling interval.',
    }),
    maxQueue: number({
      min: 1,
      max: 1_000_000,
      default: 10_000,
      description:
        'Delegations that may be queued for one agent; a message that only agents with a full queue could take is refused, unless its organization and its principal have less than their fair share of that queue. An agent can override it.',
    }),
    readBudgetBytes: size({
      min: MIB,
      max: 4096 * MIB,
      default: 64 * MIB,
      description:
        "The most bytes of agents' answers that one process holds before they are stored, over all agents; one agent gets at most half. Answers up to 64 KiB do not count; an answer larger than the budget is read alone. Further answers wait.",
    }),
    health: new Section('Health checks of agents, made by each process on its own.', {
      probeIntervalMs: duration({
        max: DAY,
        default: 30 * SECOND,
        description:
          'How long an agent may be without a call before its card is requested as a health check, give or take a fifth; 0s for no health checks.',
      }),
      probeTimeoutMs: duration({
        min: 1,
        max: 10 * MINUTE,
        default: 5 * SECOND,
        description: 'How long one health check may take.',
      }),
      failuresToDown: number({
        min: 2,
        max: 100,
        default: 3,
        description:
          'Consecutive failures after which an agent is down and its circuit breaker opens: it gets no work for a while. A single failure makes it degraded.',
      }),
      successesToHealthy: number({
        min: 1,
        max: 100,
        default: 2,
        description: 'Consecutive successes after which an agent that has failed is healthy again.',
      }),
      failureRate: number({
        min: 0.01,
        max: 1,
        decimals: true,
        default: 0.5,
        description:
          'The failure rate, over the last 10 to 20 calls within a minute, at which the breaker opens as well.',
      }),
      openMinMs: duration({
        min: 1,
        max: DAY,
        default: 5 * SECOND,
        description:
          'How long the breaker stays open the first time, up to a fifth less; each further time twice as long, until a call succeeds.',
      }),
      openMaxMs: duration({
        min: 1,
        max: DAY,
        default: 5 * MINUTE,
        description: 'The longest time the breaker stays open.',
      }),
    }),
    callbacks: choice(['auto', 'off'], {
      default: 'auto',
      description:
        'Whether an agent that cannot stream but can push gets a callback address of the hub to call when its task has changed. auto: when publicUrl is set; such an agent is then polled rarely. off: it is only polled.',
    }),
    cardSignatures: choice(['off', 'if-present', 'require'], {
      default: 'if-present',
      description:
        'Whether signatures of agent cards are verified. require accepts only cards with a signature by a trusted key; if-present refuses cards whose signature does not match, and shows others as unsigned or unverified; off verifies nothing.',
    }),
    trustedKeys: trustedKeys({
      default: [],
      description:
        'The public keys that sign the cards of an origin. For other origins the hub uses the key set that a signature names (jku), if it is on the origin of the card itself.',
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
        'Hosts and CIDR blocks where webhooks are allowed although they are private or plain http, in the forms of egress.allow: 10.20.0.0/16 for every organization, acme=hooks.internal for the organization acme.',
    }),
    showAllowedAnswers: flag({
      default: false,
      description:
        'Whether answers of receivers that only push.allow permits are recorded and shown to the owners of webhooks; otherwise they see only the status.',
    }),
    verification: choice(['off', 'optional', 'required'], {
      default: 'optional',
      description:
        'Whether receivers must agree to be called (docs/delivery.md). optional: deliveries to receivers that have not agreed are limited by push.unverified; required: they get nothing until they agree, and deliveries wait; off: no agreement is needed.',
    }),
    trustedHosts: texts({
      default: [],
      description:
        'Hosts and CIDR blocks whose receivers are treated as having agreed, in the forms of push.allow: hooks.example.com, *.acme.example for every organization, acme=10.20.0.0/16 for the organization acme. It permits no address that push.allow does not.',
    }),
    unverified: new Section(
      'Limits for receivers that have not agreed to be called; deliveries above them wait.',
      {
        atOnce: number({
          min: 1,
          max: 1000,
          default: 2,
          description: 'Concurrent attempts to one such receiver, counted over all processes.',
        }),
        requestsPerMinute: number({
          min: 1,
          max: 1_000_000,
          default: 600,
          description:
            'Requests per minute to one such receiver; after a minute without any, the whole number may be sent at once.',
        }),
        bytesPerMinute: size({
          min: KIB,
          max: 1024 * MIB,
          default: 2 * MIB,
          description: 'Bytes of request bodies per minute to one such receiver, likewise.',
        }),
        principal: new Section('What one principal may send to all such receivers together.', {
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
            description: 'Different receivers in ten minutes; deliveries to further ones wait.',
          }),
        }),
      },
    ),
    scheduleMs: durations({
      default: [1, 5, 30, 300, 1800, 7200, 18_000, 36_000, 36_000].map((s) => s * SECOND),
      description:
        'The delays before each retry; after the last one the event becomes a dead letter.',
    }),
    jitter: number({
      min: 0,
      max: 1,
      decimals: true,
      default: 0.2,
      description: 'The random part of each delay, in both directions.',
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
      description: 'Concurrent attempts to one endpoint, counted over all processes.',
    }),
    startPerEndpoint: number({
      min: 1,
      max: 1000,
      default: 2,
      description:
        'Concurrent attempts to an endpoint that has not answered yet, or not since it failed; each success doubles it up to maxPerEndpoint.',
    }),
    breaker: new Section(
      'The circuit breaker of an endpoint: while it is open, only one half-open probe at a time is sent.',
      {
        failures: number({
          min: 1,
          max: 1000,
          default: 5,
          description:
            'Consecutive failures after which the breaker opens and deliveries to the endpoint wait.',
        }),
        pauseMs: duration({
          min: 1,
          default: 5 * SECOND,
          description:
            'The delay before the first half-open probe; it doubles with every probe that fails.',
        }),
        maxPauseMs: duration({
          min: 1,
          default: 5 * MINUTE,
          description: 'The longest delay between two half-open probes.',
        }),
      },
    ),
    disableAfterMs: duration({
      min: SECOND,
      default: 120 * HOUR,
      description:
        'After this long with nothing but failures the webhooks of an endpoint are disabled; their waiting events become dead letters.',
    }),
    maxBodyBytes: size({
      min: KIB,
      max: 64 * MIB,
      default: MIB,
      description: 'The largest webhook body; above it a truncated payload with a link is sent.',
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
        'Standing subscriptions that one organization may create through the API; declared ones do not count.',
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
        'The maximum age of events that wait for a paused webhook. Until then their task is not deleted, however old; after it, they become dead letters.',
    }),
    rotationOverlapMs: duration({
      max: 30 * DAY,
      default: DAY,
      description:
        'How long requests are also signed with the old key after the key of an auth profile was rotated; a rotation may set another time.',
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
        'Writes a line at level info for each request that has ended: its id, caller, operation, task, status and time. Those of health and metrics are at level debug; failures inside the hub are always written.',
    }),
  }),
} as const;

/** The values of {@link SETTINGS} as plain data. */
export type Settings = ValuesOf<typeof SETTINGS>;
