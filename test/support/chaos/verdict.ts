import type { JsonObject } from '../json.js';
import type { ReceivedWebhook } from '../webhook-sink.js';
import type { ChaosTask, ChaosWebhook } from './chaos-client.js';

/** What the hub says of a webhook at the end, through its admin API. */
export interface Record {
  readonly config: JsonObject;
  readonly deliveries: readonly JsonObject[];
}

/** What is wrong with what a webhook was told, and with what the hub says of it; empty when nothing is. */
export function faultsOf(
  { isInline, receiver }: ChaosWebhook,
  { taskId, state }: ChaosTask,
  received: readonly ReceivedWebhook[],
  record: Record,
  chunks: number,
): string[] {
  const faults = [...faultsOfRequests(received, taskId)];
  const open = record.deliveries.filter(({ state }) => state === 'pending' || state === 'retrying');
  if (open.length > 0) faults.push(`${open.length} deliveries have not ended`);
  const { behaviour } = receiver;
  return behaviour.isHealthy
    ? [...faults, ...faultsOfHealthy(onceEach(received), record, state, isInline ? chunks : 0)]
    : [...faults, ...faultsOfBroken(behaviour.why, record)];
}

/** The same `webhook-id` is the same event, in order, and of this task only. */
function faultsOfRequests(received: readonly ReceivedWebhook[], taskId: string): string[] {
  const faults: string[] = [];
  const first = new Map<string, ReceivedWebhook>();
  for (const webhook of received) {
    const known = first.get(idOf(webhook));
    if (known && !known.raw.equals(webhook.raw)) faults.push('other bytes for the same webhook-id');
    if (!known) first.set(idOf(webhook), webhook);
    if (!webhook.raw.includes(taskId)) faults.push('it is of another task');
  }
  const sequences = [...first.values()].map((each) => numberIn(each, 'a2a-hub-sequence'));
  if (sequences.some((sequence, at) => sequence < (sequences[at - 1] ?? 0))) {
    faults.push(`out of order: ${sequences.join(' ')}`);
  }
  return faults;
}

function faultsOfHealthy(
  told: readonly ReceivedWebhook[],
  { config, deliveries }: Record,
  end: string,
  chunks: number,
): string[] {
  const faults: string[] = [];
  const numbers = told.map((each) => numberIn(each, 'a2a-hub-delivery-number'));
  if (numbers.some((number, at) => number !== at + 1)) {
    faults.push(`not told one after the other: ${numbers.join(' ')}`);
  }
  const undelivered = deliveries.filter(({ state }) => state !== 'delivered');
  if (undelivered.length > 0) faults.push(`not delivered: ${JSON.stringify(undelivered[0])}`);
  if (deliveries.length !== told.length) {
    faults.push(`${deliveries.length} deliveries, ${told.length} received`);
  }
  if (config['state'] !== 'active') faults.push(`it is ${String(config['state'])}`);
  const last = told.at(-1)?.json as JsonObject | undefined;
  const state = last?.['statusUpdate']?.status.state ?? last?.['task']?.status.state;
  if (state !== end) faults.push(`the last it was told is ${String(state)}, not ${end}`);
  if (chunks > 0 && end === 'TASK_STATE_COMPLETED') faults.push(...faultsOfWhole(told, chunks));
  return faults;
}

/** Whoever is told from the start gets the artifact once, whole. */
function faultsOfWhole(told: readonly ReceivedWebhook[], chunks: number): string[] {
  const updates = told.flatMap(({ json }) => (json as JsonObject)['artifactUpdate'] ?? []);
  const texts = updates.map(({ artifact }) =>
    artifact.parts.map(({ text }: JsonObject) => String(text)).join(' '),
  );
  const whole = Array.from({ length: chunks }, (_, at) => at + 1).join(' ');
  return texts.length === 1 && texts[0] === whole ? [] : [`artifacts: ${texts.join(' | ')}`];
}

/** All it was to be told is a dead letter that says why, or the webhook is disabled and says why. */
function faultsOfBroken(why: RegExp, { config, deliveries }: Record): string[] {
  const faults: string[] = [];
  const delivered = deliveries.filter(({ state }) => state === 'delivered');
  if (delivered.length > 0) faults.push('something was delivered');
  const odd = deliveries.find(({ reason }) => !why.test(String(reason)));
  if (odd) faults.push(`a dead letter says ${String(odd['reason'])}, not ${why.source}`);
  const { state, stateReason } = config;
  if (state === 'disabled' && !why.test(String(stateReason))) {
    faults.push(`it is disabled and says ${String(stateReason)}`);
  }
  if (deliveries.length === 0 && state !== 'disabled') faults.push('nothing is known of it');
  return faults;
}

function onceEach(received: readonly ReceivedWebhook[]): ReceivedWebhook[] {
  return [
    ...new Map(received.toReversed().map((each) => [idOf(each), each])).values(),
  ].toReversed();
}

function idOf({ headers }: ReceivedWebhook): string {
  return String(headers['webhook-id']);
}

function numberIn({ headers }: ReceivedWebhook, name: string): number {
  return Number(headers[name]);
}
