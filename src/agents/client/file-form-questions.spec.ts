import { beforeEach, describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import { configWith } from '../../config/index.js';
import type { Agent, AgentEndpoint } from '../agent.js';
import { EndpointMemory } from './endpoint-memory.js';
import { FileFormQuestions, type FormAnswer } from './file-form-questions.js';

const agent = { id: 'a', originalCard: '{}', switches: {} } as Agent;
const endpoint: AgentEndpoint = {
  url: 'https://a.example',
  protocolBinding: 'HTTP+JSON',
  protocolVersion: '0.3',
  tenant: '',
};
const FOREVER = new AbortController().signal;

let clock: SettableClock;
let requested: { readonly answer: (answer: FormAnswer) => void; readonly signal: AbortSignal }[];
let questions: FileFormQuestions;
beforeEach(() => {
  clock = new SettableClock();
  requested = [];
  const memory = new EndpointMemory(clock, configWith({}));
  questions = new FileFormQuestions(memory, (_agent, _endpoint, signal) => {
    return new Promise((answer) => requested.push({ answer, signal }));
  });
});

const formOf = (signal = FOREVER) => questions.formOf(agent, endpoint, { signal });

/** Asks anew, which the server answers so. */
async function formRequestedAgain(answer: FormAnswer): Promise<string> {
  const form = formOf();
  requested.at(-1)!.answer(answer);
  return form;
}

describe('how a server has files', () => {
  it('is asked once by all that wait, and kept for an hour', async () => {
    const all = [formOf(), formOf(), formOf()];
    requested[0]!.answer('twice');
    expect(await Promise.all(all)).toEqual(['twice', 'twice', 'twice']);
    clock.ms += 3_599_999;
    expect(await formOf()).toBe('twice');
    expect(requested).toHaveLength(1);
    clock.ms += 1;
    expect(await formRequestedAgain('once')).toBe('once');
    expect(requested).toHaveLength(2);
  });

  it('is not asked again for a while where it said nothing', async () => {
    expect(await formRequestedAgain('silent')).toBe('once');
    clock.ms += 29_999;
    expect(await formOf()).toBe('once');
    expect(requested).toHaveLength(1);
    clock.ms += 1;
    expect(await formRequestedAgain('twice')).toBe('twice');
  });

  it('is asked anew where there was no connection', async () => {
    expect(await formRequestedAgain('unreachable')).toBe('once');
    expect(await formRequestedAgain('twice')).toBe('twice');
  });

  it('is waited for until the last of those who wait is gone, which tells nothing', async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const both = [formOf(one.signal), formOf(two.signal)];
    one.abort();
    await expect(both[0]).rejects.toMatchObject({ kind: 'interrupted' });
    expect(requested[0]!.signal.aborted).toBe(false);
    two.abort();
    await expect(both[1]).rejects.toMatchObject({ kind: 'interrupted' });
    expect(requested[0]!.signal.aborted).toBe(true);
    const next = formOf();
    requested[0]!.answer('silent');
    requested[1]!.answer('twice');
    expect(await next).toBe('twice');
    expect(await formOf()).toBe('twice');
    expect(requested).toHaveLength(2);
  });
});
