import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { grpcTarget } from '../support/grpc-client.js';

let hub: Hub;
const sessions: ClientHttp2Session[] = [];

beforeAll(async () => {
  hub = await startHub({ config: { grpc: { port: -1 } } });
});
afterAll(async () => {
  for (const session of sessions) session.destroy();
  await hub?.close();
});

function open(): ClientHttp2Session {
  const session = connect(`http://${grpcTarget(hub)}`);
  session.on('error', () => undefined);
  sessions.push(session);
  return session;
}

/** One empty message; resolves with the status of the call. */
function call(session: ClientHttp2Session, path: string): Promise<string> {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.end(Buffer.alloc(5));
  return new Promise((resolve) => {
    const told = ({ 'grpc-status': status }: IncomingHttpHeaders): void => {
      if (typeof status === 'string') resolve(status);
    };
    stream.on('response', told).on('trailers', told).resume();
    stream.on('error', () => resolve('error')).on('close', () => resolve('closed'));
  });
}

const CHECK = '/grpc.health.v1.Health/Check';

describe('calls over gRPC without a key', () => {
  it.each([
    ['health', CHECK, '0'],
    ['a method that needs a key', '/lf.a2a.v1.A2AService/GetTask', '16'],
  ])('wait when one connection has many, and others do not: %s', async (_, path, status) => {
    const flood = open();
    const answers: string[] = [];
    // One after another: what is under way when it is stopped is answered still.
    const send = async (): Promise<void> => {
      for (let n = 0; n < 60; n++) answers.push(await call(flood, path));
    };
    const begun = performance.now();
    const sent = send();
    await eventually(() => expect(answers.length).toBeGreaterThan(15));
    const calm = open();
    for (let n = 0; n < 5; n++) expect(await call(calm, CHECK)).toBe('0');
    await sent;
    expect(new Set(answers)).toEqual(new Set([status]));
    // Twenty at once, then twenty a second.
    expect(performance.now() - begun).toBeGreaterThan(1500);
  });

  it('are refused when they had arrived before their connection was stopped', async () => {
    const flood = open();
    const answers = await Promise.all(Array.from({ length: 80 }, () => call(flood, CHECK)));
    const answered = answers.filter((answer) => answer === '0').length;
    expect(answered).toBeGreaterThan(15);
    expect(answered).toBeLessThan(60);
    expect(new Set(answers)).toEqual(new Set(['0', 'error']));
  });
});
