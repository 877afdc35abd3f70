import { describe, expect, it } from '@jest/globals';
import { addressFor, paramsBeside } from './method-address.js';

const AGNO = 'http://agno.example/a2a/agents/echo/v1';

describe('where a method is called', () => {
  it.each([
    ['SendStreamingMessage', 'message:stream'],
    ['SendMessage', 'message:send'],
    ['GetTask', 'tasks:get'],
    ['CancelTask', 'tasks:cancel'],
  ] as const)('%s beside the address of another method', (method, segment) => {
    for (const given of ['message:stream', 'message:send']) {
      expect(addressFor(`${AGNO}/${given}`, method)).toBe(`${AGNO}/${segment}`);
    }
  });

  it('with the query of the card', () => {
    expect(addressFor(`${AGNO}/message:send?v=1`, 'CancelTask')).toBe(`${AGNO}/tasks:cancel?v=1`);
  });

  it.each([
    ['http://a.example/invoke', 'GetTask'],
    ['http://a.example/', 'CancelTask'],
    ['http://a.example/message:stream/rpc', 'GetTask'],
    ['http://a.example/rpc?to=/message:stream', 'GetTask'],
    [`${AGNO}/message:stream`, 'ListTasks'],
  ] as const)('as it is: %s for %s', (url, method) => {
    expect(addressFor(url, method)).toBe(url);
  });
});

describe('what is sent beside the id of a task', () => {
  const agno = `${AGNO}/message:stream`;
  it('is its context, where each method has an address', () => {
    expect(paramsBeside(agno, 'GetTask', 'c')).toEqual({ contextId: 'c' });
    expect(paramsBeside(agno, 'CancelTask', 'c')).toEqual({ contextId: 'c' });
  });

  it('is nothing elsewhere', () => {
    expect(paramsBeside(agno, 'GetTask', undefined)).toBeUndefined();
    expect(paramsBeside(agno, 'SendMessage', 'c')).toBeUndefined();
    expect(paramsBeside('http://a.example/', 'GetTask', 'c')).toBeUndefined();
  });
});
