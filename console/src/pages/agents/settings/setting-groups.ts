import type { Settings } from './settings-form';

export interface Setting {
  readonly name: keyof Settings;
  readonly label: string;
  readonly hint: string;
  /** By which the hub names it when it refuses a value. */
  readonly field: string;
  readonly kind:
    | 'text'
    | 'organizations'
    | 'number'
    | 'json'
    | readonly { value: string; label: string }[];
}

export interface SettingGroup {
  readonly title: string;
  readonly lead?: string;
  readonly settings: readonly Setting[];
}

const HUB_CHOOSES = { value: '', label: 'As the hub chooses' };

const budget = (name: keyof Settings, label: string, hint: string): Setting => ({
  name,
  label,
  hint: `${hint} In milliseconds; empty: as configured.`,
  field: `budgets.${name}`,
  kind: 'number',
});

export const SETTING_GROUPS: readonly SettingGroup[] = [
  {
    title: 'Who uses it, and how much it gets',
    settings: [
      {
        name: 'organizations',
        label: 'Organizations',
        hint: 'Only these may use it, with commas between them. Empty: everybody.',
        field: 'organizations',
        kind: 'organizations',
      },
      {
        name: 'tags',
        label: 'Tags',
        hint: 'Your own, with commas between them; skills have theirs.',
        field: 'tags',
        kind: 'text',
      },
      {
        name: 'priority',
        label: 'Priority',
        hint: 'Among agents that match as well, the higher is tried first.',
        field: 'priority',
        kind: 'number',
      },
      {
        name: 'weight',
        label: 'Weight',
        hint: 'Its share of the work among equals, 1 to 1000.',
        field: 'weight',
        kind: 'number',
      },
      {
        name: 'maxConcurrent',
        label: 'At work at once',
        hint: 'Delegations from one process of the hub. Empty: tasks.maxPerAgent.',
        field: 'maxConcurrent',
        kind: 'number',
      },
      {
        name: 'maxQueue',
        label: 'Longest queue',
        hint: 'Delegations that may wait for it. Empty: agents.maxQueue.',
        field: 'maxQueue',
        kind: 'number',
      },
    ],
  },
  {
    title: 'Where and how it is called',
    settings: [
      {
        name: 'endpointOverride',
        label: 'Address in place of the card’s',
        hint: 'At another server, the credentials are dropped and have to be set again.',
        field: 'endpointOverride',
        kind: 'text',
      },
      {
        name: 'protocolBinding',
        label: 'Binding',
        hint: 'Only interfaces of this binding are called.',
        field: 'protocolBinding',
        kind: [
          HUB_CHOOSES,
          { value: 'JSONRPC', label: 'JSON-RPC' },
          { value: 'HTTP+JSON', label: 'HTTP+JSON' },
          { value: 'GRPC', label: 'gRPC' },
        ],
      },
      {
        name: 'protocolVersion',
        label: 'Version of A2A',
        hint: 'Only interfaces of this version are called.',
        field: 'protocolVersion',
        kind: [HUB_CHOOSES, { value: '1.0', label: '1.0' }, { value: '0.3', label: '0.3' }],
      },
    ],
  },
  {
    title: 'Where its card or its server is wrong',
    lead: 'Each of these is off unless you set it.',
    settings: [
      {
        name: 'streaming',
        label: 'Streaming',
        hint: 'Off: its tasks are polled, whatever its card says.',
        field: 'switches.streaming',
        kind: [
          { value: '', label: 'As its card says' },
          { value: 'off', label: 'Off' },
        ],
      },
      {
        name: 'blocking',
        label: 'Blocking messages',
        hint: 'On: for agents that cannot be asked for their task.',
        field: 'switches.blocking',
        kind: [
          { value: '', label: 'Off' },
          { value: 'on', label: 'On' },
        ],
      },
      {
        name: 'pollIntervalMs',
        label: 'Polling interval',
        hint: 'In milliseconds; empty: one that grows.',
        field: 'switches.pollIntervalMs',
        kind: 'number',
      },
      {
        name: 'files',
        label: 'Bytes of files',
        hint: 'How its server encodes them, over HTTP+JSON and gRPC of 0.3.',
        field: 'switches.files',
        kind: [
          { value: '', label: 'The hub finds out' },
          { value: 'once', label: 'Base64 once' },
          { value: 'twice', label: 'Base64 twice' },
        ],
      },
      {
        name: 'caller',
        label: 'On whose behalf',
        hint: 'Signed: every call for a task says so in a JWT of the hub, A2A-Hub-Caller.',
        field: 'switches.caller',
        kind: [
          { value: '', label: 'Not said' },
          { value: 'signed', label: 'Signed' },
        ],
      },
    ],
  },
  {
    title: 'How long it may take',
    settings: [
      budget('connectMs', 'To connect', 'Until there is a connection.'),
      budget('firstEventMs', 'To the first answer', 'From sending a message to the first event.'),
      budget('idleMs', 'Between events', 'Without a sign of life.'),
      budget('totalMs', 'In all', 'From the first send to the end.'),
      budget('cancelWaitMs', 'For a cancel', 'Until the agent has answered a cancel.'),
    ],
  },
  {
    title: 'Whose cards are trusted',
    settings: [
      {
        name: 'cardKeys',
        label: 'Keys of its card',
        hint: 'A JWK Set, or {"jwksUrl": "https://…"}. Empty: the keys of its origin are trusted.',
        field: 'cardKeys',
        kind: 'json',
      },
    ],
  },
];
