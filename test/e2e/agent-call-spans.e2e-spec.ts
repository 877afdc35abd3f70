import { beforeEach, expect, it, jest } from '@jest/globals';
import type { AttributeValue } from '../../src/common/tracing/span-attributes.js';
import { SystemClock } from '../../src/common/clock.js';
import { agentCalls, endpoint, hello, options } from '../support/agent-calls.js';
import { anAgent, NO_DEVIATIONS } from '../support/an-agent.js';

interface RecordedCall {
  readonly name: string;
  readonly attributes: Record<string, AttributeValue | null | undefined>;
  /** Why it failed, of each time that it was ended. */
  readonly ends: (string | undefined)[];
}

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const recorded: RecordedCall[] = [];
const tracing = {
  isOn: true,
  begin: (_parent: unknown, name: string) => {
    const call: RecordedCall = { name, attributes: {}, ends: [] };
    recorded.push(call);
    return {
      traceparent: TRACEPARENT,
      rename: () => undefined,
      set: (key: string, value: AttributeValue | null | undefined) => {
        call.attributes[key] = value;
      },
      event: () => undefined,
      end: (failure?: string) => void call.ends.push(failure),
    };
  },
};
const { client, sdkAgent } = agentCalls(new SystemClock(), tracing);

beforeEach(() => {
  recorded.length = 0;
});

it.each(['JSONRPC', 'GRPC'] as const)(
  'the span of a call over %s says which server is called',
  async (binding) => {
    const { agent } = await sdkAgent({ version: '1.0', binding });
    await client.send(agent, hello(), options());
    expect(recorded).toMatchObject([{ name: 'a2a.SendMessage', ends: [undefined] }]);
    const { 'url.scheme': scheme, ...attributes } = recorded[0]!.attributes;
    expect(scheme).toBe(binding === 'JSONRPC' ? 'http' : undefined);
    expect(attributes).toMatchObject({
      'server.address': '127.0.0.1',
      'server.port': Number(/:(\d+)/.exec(agent.endpoint.url)![1]),
    });
  },
);

it('the span of a call that cannot be prepared is over', async () => {
  const note = jest.spyOn(NO_DEVIATIONS, 'note').mockImplementation(() => {
    throw new Error('a fault of the hub');
  });
  const agent = anAgent('other', { endpoint: endpoint('http://127.0.0.1:9/message:send') });
  try {
    await expect(client.getTask(agent, 'theirs', options())).rejects.toThrow('a fault of the hub');
  } finally {
    note.mockRestore();
  }
  expect(recorded).toMatchObject([{ name: 'a2a.GetTask', ends: ['internal'] }]);
});
