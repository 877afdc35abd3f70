// What the runner knows of each line of the kit.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Groups of the kits for A2A before 1.0, as the kit's own runner selects them. */
const OLDER_GROUPS = {
  mandatory: (transport) =>
    transport === 'jsonrpc'
      ? ['tests/mandatory', '-m', 'mandatory_jsonrpc or mandatory_protocol']
      : ['tests/mandatory/protocol', '-m', 'mandatory_protocol'],
  capabilities: () => ['tests/optional/capabilities'],
  quality: () => ['tests/optional/quality'],
  features: () => ['tests/optional/features'],
  unmarked: () => ['tests/mandatory', '-m', 'not mandatory_jsonrpc and not mandatory_protocol'],
};
const EQUIVALENCE = ['tests/optional/multi_transport', '-m', 'transport_equivalence'];

const NEWER_TRANSPORTS = ['jsonrpc', 'http_json', 'grpc'];

const KITS = [
  {
    line: '1.0',
    marker: 'tests/compatibility',
    transports: NEWER_TRANSPORTS,
    groups: ['must', 'should', 'may'],
    sessions: (transports, groups) =>
      transports.map((transport) => ({ transport, groups, args: newerArgs(transport, groups) })),
    // The kit finds the card below the address it gets, and checks it against the schema of 1.0 alone.
    target: { agent: '/1.0', hub: '/a2a' },
    targetOption: '--sut-host',
  },
  {
    line: '0.3',
    marker: 'tests/optional/multi_transport',
    transports: ['jsonrpc', 'rest', 'grpc'],
    groups: [...Object.keys(OLDER_GROUPS), 'equivalence'],
    sessions: (transports, groups) => [
      ...olderSessions(transports, groups, (transport) => ['--transports', transport]),
      ...equivalence(transports, groups),
    ],
    target: { agent: '/rpc', hub: '/a2a' },
    targetOption: '--sut-url',
  },
  {
    line: '0.2.5',
    marker: 'tests/mandatory/protocol',
    transports: ['jsonrpc'],
    groups: Object.keys(OLDER_GROUPS),
    sessions: (transports, groups) => olderSessions(transports, groups, () => []),
    target: { agent: '/rpc', hub: '/a2a' },
    targetOption: '--sut-url',
    /** In 0.2.5 a client may name a task that does not exist yet. */
    clientTaskIds: true,
  },
];

/** The line of a checkout, told by the folders it has; undefined when it is no checkout of the kit. */
export function recogniseKit(checkout) {
  return KITS.find((kit) => existsSync(join(checkout, kit.marker)));
}

/**
 * Whether a test was skipped because it is one of a transport that its session leaves out.
 * @param test - With the markers it carries, which name its transport where it has but one.
 */
export function isOfAnotherTransport({ id, outcome, reason, markers }, { transport }) {
  if (outcome !== 'skipped' || transport === 'all') return false;
  if (/transport (?:'\w+' )?not configured$/i.test(reason)) return true;
  const own = NEWER_TRANSPORTS.find((name) => markers.includes(name) || id.endsWith(`${name}]`));
  return own !== undefined && own !== transport;
}

function newerArgs(transport, groups) {
  return ['tests/compatibility', '--transport', transport, '-m', groups.join(' or ')];
}

function olderSessions(transports, groups, transportArgs) {
  return transports.flatMap((transport) =>
    groups
      .filter((group) => group in OLDER_GROUPS)
      .map((group) => ({
        transport,
        groups: [group],
        args: [...OLDER_GROUPS[group](transport), '--test-scope=all', ...transportArgs(transport)],
      })),
  );
}

function equivalence(transports, groups) {
  if (!groups.includes('equivalence') || transports.length < 2) return [];
  return [
    {
      transport: 'all',
      groups: ['equivalence'],
      args: [...EQUIVALENCE, '--test-scope=all', '--transports', transports.join(',')],
    },
  ];
}
