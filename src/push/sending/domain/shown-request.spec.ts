import { expect, it } from '@jest/globals';
import { shownRequest } from './shown-request.js';

const sent = (headers: Record<string, string>, secrets: string[] = [], body = '{}') =>
  shownRequest({ url: 'https://hooks.example/a', headers, body, secrets });

it('shows what is signed and the signature, and no credential', () => {
  const { headers } = sent(
    {
      'webhook-id': 'msg_1',
      'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
      authorization: 'Bearer a-token',
      'x-api-key': 'ab',
      'x-joined': 'key=ab;rest',
      'a2a-notification-token': 'of the client',
    },
    ['a-token', 'ab', ''],
  );
  expect(headers).toEqual({
    'webhook-id': 'msg_1',
    'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    authorization: 'Bearer ***',
    'x-api-key': '***',
    'x-joined': '***',
    'a2a-notification-token': '***',
  });
  expect(sent({ Authorization: 'whatever it is' }).headers).toEqual({ Authorization: '***' });
});

it('shows the beginning of a large body', () => {
  expect(sent({}, [], 'x'.repeat(20_000))).toMatchObject({ isCut: true, method: 'POST' });
  expect(sent({}, [], 'x'.repeat(20_000)).body).toHaveLength(16 * 1024);
  expect(sent({}, [], '{}')).toMatchObject({ body: '{}', isCut: false });
});
