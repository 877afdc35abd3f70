import { describe, expect, it } from '@jest/globals';
import { Part } from '../../protocol/a2a.js';
import type { PlanStep, StepInput } from '../../routing/index.js';
import { play } from './fake-scripts.js';
import { chunk, status, userMessage } from './fake-events.js';
import { FakeTask, planStep } from './fake-task.js';
import { firstMessage } from './step-input.js';

const DONE = status('completed');
const MESSAGE = userMessage('m1', 'hello');
const BOTH: StepInput[] = [{ from: 'step', step: 'draft' }, { from: 'message' }];

/** What c is sent after the agents of `draft` have said this. */
function sentTo(
  draft: Partial<PlanStep>,
  said: Parameters<typeof play>[1],
  inputs: StepInput[] = BOTH,
) {
  const after = [{ step: 'draft', outcome: 'ended' as const }];
  const plan = [
    planStep('draft', ['a', 'b'], { isResult: false, ...draft }),
    planStep('final', ['c'], { after, inputs }),
  ];
  const task = play(new FakeTask({ plan }), said, []);
  expect(task.delegation('c').state).toBe('queued');
  return firstMessage(task.aggregate, task.delegation('c'), MESSAGE);
}

function texts(parts: readonly Part[]): unknown[] {
  return parts.map(({ content }) => content?.value);
}

describe('the first message of a step', () => {
  it('is the client’s own when the step works on nothing else', () => {
    const task = new FakeTask();
    expect(firstMessage(task.aggregate, task.delegation(), MESSAGE)).toBe(MESSAGE);
  });

  it('holds the artifacts of the step before, in its order, then the client’s parts', () => {
    const a = [chunk('x', 'a1'), chunk('x', 'a2', { append: true }), DONE];
    const message = sentTo({}, { a, b: [chunk('x', 'b1'), DONE] });
    expect(texts(message.parts)).toEqual(['a1', 'a2', 'b1', 'hello']);
    expect(message.messageId).toBe('d-c');
    expect(message.parts.map(({ metadata }) => metadata)).toEqual([
      { 'urn:a2a-hub:routing:v1': { agentId: 'a', step: 'draft', artifactId: 'a.x' } },
      { 'urn:a2a-hub:routing:v1': { agentId: 'a', step: 'draft', artifactId: 'a.x' } },
      { 'urn:a2a-hub:routing:v1': { agentId: 'b', step: 'draft', artifactId: 'b.x' } },
      undefined,
    ]);
  });

  it('holds artifacts in the order they came, also of ids that are numbers', () => {
    const a = ['10', 'x', '2'].map((id) => chunk(id, `a${id}`));
    const message = sentTo({}, { a: [...a, DONE], b: [DONE] }, [{ from: 'step', step: 'draft' }]);
    expect(texts(message.parts)).toEqual(['a10', 'ax', 'a2']);
  });

  it('holds them in the order of the inputs', () => {
    const said = { a: [chunk('x', 'a1'), DONE], b: [DONE] };
    const reversed = [...BOTH].reverse();
    expect(texts(sentTo({}, said, reversed).parts)).toEqual(['hello', 'a1']);
  });

  it('holds only what the winner of a race gave', () => {
    const said = { b: [chunk('x', 'b1', { lastChunk: true }), DONE] };
    expect(texts(sentTo({ strategy: 'first' }, said).parts)).toEqual(['b1', 'hello']);
  });

  it('holds of an agent that failed only what it had finished', () => {
    const whole = chunk('x', 'whole', { lastChunk: true });
    const said = { a: [whole, chunk('y', 'half'), status('failed')] };
    expect(texts(sentTo({}, said).parts)).toEqual(['whole', 'hello']);
  });

  it('holds the last words of an agent that completed without an artifact', () => {
    const said = { a: [status('completed', '{"x":1}')], b: [DONE] };
    const { parts } = sentTo({}, said);
    expect(texts(parts)).toEqual(['{"x":1}', 'hello']);
    expect(parts[0]!.metadata).toEqual({
      'urn:a2a-hub:routing:v1': { agentId: 'a', step: 'draft' },
    });
  });

  it('holds last words that begin with data, or nothing of those that say nothing', () => {
    const data = Part.fromJSON({ data: { x: 1 } });
    const words = (...parts: Part[]) => status('completed', { ...MESSAGE, role: 2, parts });
    expect(texts(sentTo({}, { a: [words(data)], b: [words()] }).parts)).toEqual([
      { x: 1 },
      'hello',
    ]);
  });

  it('holds nothing that a step which failed has not finished, though it was shown', () => {
    const plan = [
      planStep('draft', ['a'], { isOptional: true }),
      planStep('polish', ['b'], {
        after: [{ step: 'draft', outcome: 'ended' }],
        inputs: [{ from: 'step', step: 'draft' }],
      }),
    ];
    const task = new FakeTask({ plan });
    task.agent(chunk('x', 'whole', { lastChunk: true }), 'a');
    task.agent(chunk('y', 'half'), 'a');
    task.agent(status('failed'), 'a');
    const message = firstMessage(task.aggregate, task.delegation('b'), userMessage('m1', 'hello'));
    expect(texts(message.parts)).toEqual(['whole']);
  });

  it('is never empty', () => {
    const inputs: StepInput[] = [{ from: 'step', step: 'draft' }];
    expect(texts(sentTo({}, { a: [DONE], b: [DONE] }, inputs).parts)).toEqual(['hello']);
  });
});
