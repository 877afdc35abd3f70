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
      const endpoint = { url: `${AGNO}/${given}`, protocolBinding: 'JSONRPC' } as const;
      expect(addressFor(endpoint, method)).toBe(`${AGNO}/${segment}`);
    }
  });

  it('with the query of the card', () => {
    const endpoint = { url: `${AGNO}/message:send?v=1`, protocolBinding: 'JSONRPC' } as const;
    expect(addressFor(endpoint, 'CancelTask')).toBe(`${AGNO}/tasks:cancel?v=1`);
  });

  it.each([
    ['JSONRPC', 'http://a.example/invoke', 'GetTask'],
    ['JSONRPC', 'http://a.example/', 'CancelTask'],
    ['JSONRPC', 'http://a.example/message:stream/rpc', 'GetTask'],
    ['JSONRPC', 'http://a.example/rpc?to=/message:stream', 'GetTask'],
    ['JSONRPC', `${AGNO}/message:stream`, 'ListTasks'],
    ['HTTP+JSON', `${AGNO}/message:stream`, 'GetTask'],
  ] as const)('as it is: %s %s for %s', (protocolBinding, url, method) => {
    expect(addressFor({ url, protocolBinding }, method)).toBe(url);
  });
});

describe('what is sent beside the id of a task', () => {
  const agno = { url: `${AGNO}/message:stream`, protocolBinding: 'JSONRPC' } as const;
  it('is its context, where each method has an address', () => {
    expect(paramsBeside(agno, 'GetTask', 'c')).toEqual({ contextId: 'c' });
    expect(paramsBeside(agno, 'CancelTask', 'c')).toEqual({ contextId: 'c' });
  });

  it('is nothing elsewhere', () => {
    expect(paramsBeside(agno, 'GetTask', undefined)).toBeUndefined();
    expect(paramsBeside(agno, 'SendMessage', 'c')).toBeUndefined();
    expect(paramsBeside({ ...agno, url: 'http://a.example/' }, 'GetTask', 'c')).toBeUndefined();
  });
});
