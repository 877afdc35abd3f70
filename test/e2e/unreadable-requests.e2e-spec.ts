import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';

let hub: Hub;

beforeAll(async () => {
  hub = await startHub();
});
afterAll(() => hub.close());

/** All that the hub answers to these bytes before it closes the connection. */
function answerTo(bytes: string): Promise<string> {
  const { hostname, port } = new URL(hub.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.once('end', () => resolve(answer)).once('error', reject);
  });
}

describe('what is no request that can be read', () => {
  it.each([
    [
      'a method that there is not',
      'BREW /api/v1/agents HTTP/1.1\r\nHost: x\r\n\r\n',
      400,
      'method',
    ],
    ['noise', 'GET / HTTP/1.1\r\nbroken\r\n\r\n', 400, 'no HTTP request'],
    [
      'too large headers',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
      431,
      'headers are larger',
    ],
  ])('%s is answered as every other error is, and the connection ends', async (...given) => {
    const [, bytes, status, text] = given;
    const answer = await answerTo(bytes);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head).toContain('Content-Type: application/problem+json');
    expect(head).toContain('Connection: close');
    expect(head).toContain('Cache-Control: no-store');
    expect(JSON.parse(body)).toEqual({
      type: 'urn:a2a-hub:error:invalid-request',
      title: expect.any(String),
      status,
      detail: expect.stringContaining(text),
    });
  });
});

describe('a path of the admin API by a method that it does not take', () => {
  it.each([
    ['PUT', '/api/v1/agents', 'GET, HEAD, POST'],
    ['DELETE', '/api/v1/agents?limit=1', 'GET, HEAD, POST'],
    ['OPTIONS', '/api/v1/keys/x', 'PATCH, DELETE'],
    ['POST', '/health/ready', 'GET, HEAD'],
  ])('%s %s is answered with those that it takes', async (method, path, allow) => {
    const answer = await fetch(`${hub.url}${path}`, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(await answer.json()).toMatchObject({
      type: 'urn:a2a-hub:error:method-not-allowed',
      detail: `${method} is not for this path; it takes ${allow}.`,
    });
  });

  it('is told from a path that there is not', async () => {
    const answer = await fetch(`${hub.url}/api/v1/nothing`, { method: 'PUT' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([404, null]);
  });
});
