import { describe, expect, it } from '@jest/globals';
import { StreamResponse } from '../../protocol/a2a.js';
import { NO_CHANGE, type Delegation, type TaskAggregate } from '../task.js';
import { reportIn, withUsage } from './reported-usage.js';

const INPUT = 'gen_ai.usage.input_tokens';
const KEYS = [INPUT, 'pages'];

const saying = (metadata: unknown) =>
  StreamResponse.fromJSON({ statusUpdate: { taskId: 't', contextId: 'c', metadata } });

describe('reportIn', () => {
  it.each<[string, unknown, object]>([
    ['flat', { [INPUT]: 5, pages: 2, other: 9 }, { [INPUT]: 5, pages: 2 }],
    ['nested', { gen_ai: { usage: { input_tokens: 5 } } }, { [INPUT]: 5 }],
    ['in usage', { usage: { input_tokens: 5 } }, { [INPUT]: 5 }],
    ['flat before nested', { [INPUT]: 1, usage: { input_tokens: 5 } }, { [INPUT]: 1 }],
    ['nothing that has a price', { usage: { output_tokens: 5 } }, {}],
    ['null', { [INPUT]: null }, {}],
  ])('reads what is written %s', (_, metadata, usage) => {
    expect(reportIn(saying(metadata), KEYS)).toEqual({ usage, isInvalid: false });
  });

  it.each([-1, NaN, Infinity, 1e10, '5', true, [5], {}])('ignores %p and says so', (value) => {
    const event = saying({ pages: 1 });
    if (event.payload?.$case === 'statusUpdate') event.payload.value.metadata![INPUT] = value;
    expect(reportIn(event, KEYS)).toEqual({ usage: { pages: 1 }, isInvalid: true });
  });

  it('looks nothing up in what a name of every object would find', () => {
    const keys = ['constructor', '__proto__.x', 'toString.name'];
    expect(reportIn(saying({}), keys)).toEqual({ usage: {}, isInvalid: false });
  });

  it('takes no longer for thousands of keys, however deep', () => {
    let deep: object = {};
    for (let depth = 0; depth < 10_000; depth++) deep = { usage: deep, gen_ai: deep };
    const event = saying({});
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 1]));
    if (event.payload?.$case === 'statusUpdate')
      event.payload.value.metadata = { ...many, ...deep };
    const begun = performance.now();
    expect(reportIn(event, KEYS).usage).toEqual({});
    expect(performance.now() - begun).toBeLessThan(50);
  });

  it.each([
    ['task', { task: { id: 't', contextId: 'c', metadata: { pages: 3 } } }],
    [
      'its artifacts',
      {
        task: { id: 't', contextId: 'c', artifacts: [{ artifactId: 'a', metadata: { pages: 3 } }] },
      },
    ],
    ['message', { message: { messageId: 'm', role: 'ROLE_AGENT', metadata: { pages: 3 } } }],
    [
      'message of the status',
      { statusUpdate: { status: { message: { messageId: 'm', metadata: { pages: 3 } } } } },
    ],
    ['artifact', { artifactUpdate: { artifact: { artifactId: 'a', metadata: { pages: 3 } } } }],
    ['chunk', { artifactUpdate: { metadata: { pages: 3 } } }],
  ])('reads the metadata of a %s', (_, event) => {
    expect(reportIn(StreamResponse.fromJSON(event), KEYS).usage).toEqual({ pages: 3 });
  });
});

describe('withUsage', () => {
  const delegation = {
    id: 'd',
    state: 'working',
    progress: { artifacts: [] },
  } as unknown as Delegation;
  const aggregate = (members: Partial<Delegation> = {}): TaskAggregate =>
    ({ delegations: [{ ...delegation, ...members }] }) as unknown as TaskAggregate;

  it('keeps the last value of each key, beside what else the event changes', () => {
    const before = aggregate({ progress: { artifacts: [], usage: { pages: 1, words: 4 } } });
    const change = { events: [], delegations: [{ id: 'd', state: 'completed' as const }] };
    expect(withUsage(change, before, 'd', { pages: 2 })).toEqual({
      events: [],
      delegations: [
        {
          ...{ id: 'd', state: 'completed' },
          progress: { artifacts: [], usage: { pages: 2, words: 4 } },
        },
      ],
    });
  });

  it('changes nothing where it is known, or the delegation has ended', () => {
    const known = aggregate({ progress: { artifacts: [], usage: { pages: 2 } } });
    expect(withUsage(NO_CHANGE, known, 'd', { pages: 2 })).toBe(NO_CHANGE);
    expect(withUsage(NO_CHANGE, aggregate({ state: 'failed' }), 'd', { pages: 2 })).toBe(NO_CHANGE);
  });
});
