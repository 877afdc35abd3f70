import type { JsonObject } from '../json.js';
import type { ReceivedWebhook } from '../webhook-sink.js';
import { LATE_TEXT } from './behaviours.js';
import { isTerminal, type FleetClient } from './fleet-client.js';
import type { TaskView } from './verdict.js';

/** Whatever an agent of the fleet names itself begins so; no client may ever see it. */
const DOWNSTREAM_ID = 'down-';
const SHOWN: ReadonlySet<string> = new Set(['task', 'status', 'artifact']);

/** Everything that a client of a task has been shown. */
export interface Shown {
  readonly client: FleetClient;
  /** GetTask at the end. */
  readonly task: JsonObject;
  readonly webhooks: readonly ReceivedWebhook[];
}

/** Breaches of what must always hold (design.md, section 2) in one task; nothing when all holds. */
export function breaches(view: TaskView, shown: Shown): string[] {
  const log = view['events'] as LogEntry[];
  return [
    ...brokenOrder(log, Number(view['seq'])),
    ...afterTheEnd(log),
    ...foreignIds(shown),
    ...streamAtOdds(shown.client, log),
    ...webhooksAtOdds(shown.webhooks, log),
  ];
}

interface LogEntry {
  readonly seq: number;
  readonly kind: string;
  readonly body: JsonObject;
}

function brokenOrder(log: readonly LogEntry[], newest: number): string[] {
  const wrong = log.filter(({ seq }, index) => seq !== newest - log.length + index + 1);
  return wrong.length === 0 ? [] : [`its log has a gap before ${wrong[0]!.seq}`];
}

function afterTheEnd(log: readonly LogEntry[]): string[] {
  const end = log.findIndex(({ body }) => isTerminal(stateIn(body)));
  return end === -1 || end === log.length - 1 ? [] : ['its log goes on after its end'];
}

function foreignIds({ client, task, webhooks }: Shown): string[] {
  const all = [
    ...client.events.map(({ data }) => JSON.stringify(data)),
    JSON.stringify(task),
    ...webhooks.map(({ raw }) => raw.toString('utf8')),
  ].join('\n');
  return [
    ...(all.includes(DOWNSTREAM_ID) ? ["a client was shown an agent's own id"] : []),
    ...(all.includes(LATE_TEXT) ? ['a client was shown what came after the end'] : []),
  ];
}

/**
 * A stream shows a task as of some entry of the log, then every shown entry behind it, as it is, until
 * the task has ended or its client has left it at a question.
 */
function streamAtOdds(client: FleetClient, log: readonly LogEntry[]): string[] {
  const [first] = client.events;
  if (!first) return [];
  const begun = Number(first.id);
  const left = isTerminal(client.state) ? Infinity : Number(client.events.at(-1)?.id);
  const told = client.events.map(({ id, data }) => [Number(id), sorted(data)]);
  const logged = log
    .filter(({ seq, kind }) => seq > begun && seq <= left && SHOWN.has(kind))
    .map(({ seq, body }) => [seq, sorted(body)]);
  const known = new Set(log.map(({ seq }) => seq));
  const compared = told.slice(1).filter(([seq]) => known.has(Number(seq)));
  if (JSON.stringify(compared) === JSON.stringify(logged)) return [];
  return [`its stream is at odds with its log: ${seqs(compared)} instead of ${seqs(logged)}`];
}

function webhooksAtOdds(webhooks: readonly ReceivedWebhook[], log: readonly LogEntry[]): string[] {
  if (webhooks.length === 0) return [];
  const sequences = webhooks.map(({ headers }) => Number(headers['a2a-hub-sequence']));
  const wrong: string[] = [];
  if (sequences.some((seq, index) => index > 0 && seq < sequences[index - 1]!)) {
    wrong.push(`its webhooks came out of order: ${sequences.join(' ')}`);
  }
  const end = log.at(-1);
  const last = webhooks.at(-1)?.json as JsonObject;
  if (end && sorted(end.body) !== sorted(last))
    wrong.push('its last webhook is not its last event');
  return wrong;
}

function stateIn(body: JsonObject): string | undefined {
  return (body['statusUpdate'] as JsonObject | undefined)?.['status'].state as string | undefined;
}

function seqs(entries: readonly unknown[][]): string {
  return `[${entries.map(([seq]) => String(seq)).join(' ')}]`;
}

/** JSON whose members are in one order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
