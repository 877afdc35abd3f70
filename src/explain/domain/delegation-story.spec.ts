import { expect, it } from '@jest/globals';
import type { Delegation } from '../../tasks/index.js';
import { delegationEntries } from './delegation-story.js';

const AT = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;
const ISO = (ms: number): string => new Date(ms).toISOString();

function told(progress: object, upSince: Date | null = null): string[] {
  const delegation = {
    agentId: 'a',
    agentName: 'Agent A',
    state: 'working',
    begunAt: new Date(AT),
    progress: { artifacts: [], ...progress },
  } as unknown as Delegation;
  return delegationEntries(delegation, [], { seesTroubles: false, upSince }).map(
    ({ at, text }) => `${at.toISOString()} ${text}`,
  );
}

it('says how long a message was queued, and when the hub was started again meanwhile', () => {
  const times = { sentAt: AT + 3 * MINUTE };
  const sent = `${ISO(AT + 3 * MINUTE)} The message was sent to Agent A (a) after 3 min in the queue`;
  expect(told({ times })).toEqual([`${sent}.`]);
  for (const other of [AT - 1, AT + 3 * MINUTE + 1]) {
    expect(told({ times }, new Date(other))).toEqual([`${sent}.`]);
  }
  const start = AT + 2 * MINUTE;
  expect(told({ times }, new Date(start))).toEqual([
    `${sent}; the hub was started again at ${ISO(start)}, after this had been queued.`,
  ]);
});

it('says when it waited for the client, and for how long', () => {
  const [first, since] = [AT + MINUTE, AT + 10 * MINUTE];
  const begun = (at: number, what: string): string =>
    `${ISO(at)} Agent A (a) began to wait for ${what}`;
  const waits = { times: 1, state: 'input-required', since: first, ms: 0 };
  expect(told({ times: { waits } })).toContain(begun(first, 'input of the client.'));
  const until = first + 180 * MINUTE;
  const over = { ...waits, until, ms: until - first };
  expect(told({ times: { waits: over } })).toContain(
    `${ISO(until)} Agent A (a) had waited for the client for 3 h.`,
  );
  const second = { times: 2, state: 'auth-required', since, until: since + MINUTE, ms: 6 * MINUTE };
  const texts = told({ times: { waits: second } });
  expect(texts).toContain(begun(since, 'authorization of the client after 1 earlier wait.'));
  expect(texts).toContain(
    `${ISO(since + MINUTE)} Agent A (a) had waited for the client for 1 min, 6 min in all.`,
  );
});

it('says that the hub was restarted, and that the message was sent again, with times', () => {
  const [sentAt, takenOverAt, resentAt] = [AT + 100, AT + MINUTE, AT + MINUTE + 500];
  const answeredAt = resentAt + 200;
  expect(told({ times: { sentAt, takenOverAt, resentAt, answeredAt } })).toEqual([
    `${ISO(sentAt)} The message was sent to Agent A (a).`,
    `${ISO(takenOverAt)} The hub was restarted, or another of its processes took over, while the message to Agent A (a) was on its way: it has asked the agent whether it has arrived.`,
    `${ISO(resentAt)} The message was sent to Agent A (a) again, under the same message id, as it was not known to have arrived.`,
    `${ISO(answeredAt)} Agent A (a) took it after 200 ms.`,
  ]);
});

it('says how long the first message took, though a later one was sent again', () => {
  const [sentAt, answeredAt, resentAt] = [AT + 100, AT + 1300, AT + MINUTE];
  expect(told({ times: { sentAt, answeredAt, resentAt } })).toContain(
    `${ISO(answeredAt)} Agent A (a) took it after 1.2 s.`,
  );
});
