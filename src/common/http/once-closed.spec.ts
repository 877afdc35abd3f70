import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { onceClosed } from './once-closed.js';

let server: Server;
let client: Socket;
let answers: ServerResponse[];
let closed: number[];

beforeEach(async () => {
  [answers, closed] = [[], []];
  server = createServer((_request, response) => void answers.push(response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
});

afterEach(() => {
  client.destroy();
  server.close();
});

/** So many requests in one piece. */
async function requests(count: number): Promise<void> {
  const coming = once(server, 'request');
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count));
  await coming;
  expect(answers).toHaveLength(count);
}

const watch = (index: number): (() => void) =>
  onceClosed(answers[index]!, () => void closed.push(index));

it('is told of an answer that has ended, once', async () => {
  await requests(1);
  watch(0);
  const [answer] = answers;
  answer!.end();
  await once(answer!, 'close');
  expect(closed).toEqual([0]);
  const { socket } = answer!.req;
  client.end();
  await once(socket, 'close');
  expect(closed).toEqual([0]);
});

it('is not told any more once the wait has ended, and leaves nothing behind', async () => {
  await requests(1);
  const [answer] = answers;
  const { socket } = answer!.req;
  watch(0);
  const before = answer!.listenerCount('close');
  for (let round = 0; round < 100; round += 1) watch(0)();
  expect(answer!.listenerCount('close')).toBe(before);
  client.destroy();
  await once(socket, 'close');
  expect(closed).toEqual([0]);
  watch(0)();
  expect(closed).toEqual([0, 0]);
});

it('is told at once of a client that had left before', async () => {
  await requests(1);
  client.destroy();
  await once(answers[0]!, 'close');
  watch(0);
  expect(closed).toEqual([0]);
});

it('is told of each answer that waited behind another when their client left', async () => {
  await requests(30);
  for (let index = 0; index < 30; index += 1) watch(index);
  const { socket } = answers[0]!.req;
  // Node warns of a leak above ten.
  expect(socket.listenerCount('close')).toBeLessThan(10);
  client.destroy();
  await once(socket, 'close');
  expect(closed.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index));
});
