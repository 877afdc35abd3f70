import { expect, it, jest } from '@jest/globals';
import { fetchOver } from './exchange-fetch.js';
import type { AgentEvent, HttpExchange } from './http-exchange.js';

const MIB = 1024 * 1024;

async function readOf(event: AgentEvent): Promise<unknown> {
  const events = async function* (): AsyncGenerator<AgentEvent, void, undefined> {
    yield event;
  };
  const exchange = { send: async () => ({ status: 200, contentType: '', events }) };
  const fetched = fetchOver(exchange as unknown as HttpExchange);
  const headers = { Accept: 'text/event-stream' };
  const { body } = await fetched('https://agent.example', { method: 'POST', headers });
  return body!
    .pipeThrough({} as never)
    .getReader()
    .read();
}

it('writes a whole answer as an event in pieces, and none that the SDK would not read', async () => {
  const whole = (length: number) => ({
    json: { result: { kind: 'task', text: 'x'.repeat(length), list: ['"'.repeat(MIB / 2)] } },
    isLong: true,
    text: undefined,
  });
  const fitting = whole(2 * MIB);
  const expected = `data: ${JSON.stringify(fitting.json)}\n\n`;
  const written = jest.spyOn(JSON, 'stringify');
  const read = (await readOf(fitting)) as { readonly done: boolean; readonly value: string };
  expect(read.done).toBe(false);
  expect(read.value === expected).toBe(true);
  await expect(readOf(whole(20 * MIB))).rejects.toThrow('an event of the agent cannot be read');
  const longest = Math.max(...written.mock.results.map(({ value }) => String(value).length));
  written.mockRestore();
  expect(longest).toBeLessThan(2 * MIB);
});
