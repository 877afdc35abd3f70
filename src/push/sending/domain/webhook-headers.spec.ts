import { describe, expect, it } from '@jest/globals';
import { type AttemptFacts, webhookHeaders } from './webhook-headers.js';

const FACTS: AttemptFacts = {
  version: '1.0',
  contentType: 'application/a2a+json',
  webhookId: 'cfg.7',
  at: new Date('2026-01-01T00:00:01.900Z'),
  attempt: 2,
  seq: 7,
  number: 3,
  gapSeq: null,
  traceparent: null,
  authentication: {},
  token: null,
};

describe('webhookHeaders', () => {
  it('name the event, the attempt and the delivery', () => {
    expect(webhookHeaders(FACTS)).toEqual({
      'content-type': 'application/a2a+json',
      'user-agent': 'a2a-hub',
      'a2a-version': '1.0',
      'webhook-id': 'cfg.7',
      'webhook-timestamp': '1767225601',
      'a2a-hub-attempt': '2',
      'a2a-hub-sequence': '7',
      'a2a-hub-delivery-number': '3',
    });
  });

  it('carries the token under both names', () => {
    const headers = webhookHeaders({ ...FACTS, token: 'tok' });
    expect(headers).toMatchObject({
      'a2a-notification-token': 'tok',
      'x-a2a-notification-token': 'tok',
    });
  });

  it('carries authentication in a header of whatever name', () => {
    const authentication = { constructor: 'abc' };
    const headers = webhookHeaders({ ...FACTS, authentication });
    expect(Object.entries(headers)).toContainEqual(['constructor', 'abc']);
  });

  it('carries authentication, gap and trace when there are any', () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const authentication = { authorization: 'Bearer abc' };
    const headers = webhookHeaders({ ...FACTS, authentication, gapSeq: 5, traceparent });
    expect(headers).toMatchObject({ authorization: 'Bearer abc', 'a2a-hub-gap': '5', traceparent });
  });
});
