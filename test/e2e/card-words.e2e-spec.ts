import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Egress } from '../../src/common/egress/egress.js';
import { type Hub, startHub } from '../support/app.js';
import { listenOnLoopback } from '../support/http-listener.js';
import type { JsonObject } from '../support/json.js';
import { OpenEgress } from '../support/open-egress.js';

const MISSING = JSON.stringify({ detail: 'Missing required query parameter: assistant_id' });
const closing: (() => Promise<unknown>)[] = [];

async function saying(status: number, body: string, type = 'application/json'): Promise<string> {
  const answer = (_request: unknown, response: ServerResponse): unknown =>
    response.writeHead(status, { 'content-type': type }).end(body);
  const { url, close } = await listenOnLoopback(answer);
  closing.push(close);
  return url;
}

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('an address where there is no card', () => {
  let hub: Hub;
  beforeAll(async () => {
    hub = await startHub({ providers: [{ provide: Egress, useValue: new OpenEgress() }] });
  });
  afterAll(() => hub.close());

  async function detailOf(cardUrl: string, more: JsonObject = {}): Promise<string> {
    const answer = await hub.admin('POST', '/api/v1/agents', { cardUrl, ...more });
    expect(answer.status).toBe(400);
    return String(answer.body.detail);
  }

  it('answers with what is said there, once', async () => {
    const url = await saying(400, MISSING);
    const detail = await detailOf(`${url}/agents`);
    expect(detail).toContain(`/agents/.well-known/agent-card.json: HTTP 400: ${MISSING};`);
    expect(detail.split(MISSING)).toHaveLength(2);
    expect(detail.match(/HTTP 400/g)).toHaveLength(5);
  });

  it('without secrets and characters that change what is read, and shortened', async () => {
    const url = await saying(403, `No: s3cret-value\u001b[2J\r\nBearer abcdef ${'x'.repeat(3000)}`);
    const detail = await detailOf(url, { cardHeaders: { 'x-key': 's3cret-value' } });
    expect(detail).toContain('HTTP 403: No: ***\\u001b[2J\\u000d\\u000aBearer *** xxx');
    expect(detail).not.toContain('s3cret');
    expect(/: No: [^;]*/.exec(detail)?.[0].length).toBe(502);
  });

  it('but not with a page for people', async () => {
    const url = await saying(404, '<h1>Not found</h1>', 'text/html; charset=utf-8');
    expect(await detailOf(url)).toMatch(/agent-card.json: HTTP 404;.*agent.json: HTTP 404$/);
  });

  it('keeps it as the trouble of an agent that is read again', async () => {
    const fields: JsonObject = {
      supportedInterfaces: [
        { url: 'http://127.0.0.1:9', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
      name: 'Moved',
    };
    let card: JsonObject | undefined = fields;
    const { url, close } = await listenOnLoopback((_request, response) => {
      response.writeHead(card ? 200 : 422).end(card ? JSON.stringify(card) : MISSING);
    });
    closing.push(close);
    await hub.registerAgent(url, { id: 'moved' });
    card = undefined;
    expect((await hub.admin('POST', '/api/v1/agents/moved:refresh')).body.detail).toContain(
      MISSING,
    );
    const shown = await hub.admin('GET', '/api/v1/agents/moved');
    expect(shown.body.cardTrouble.reason).toContain(`HTTP 422: ${MISSING}`);
  });
});

describe('an address that only egress.allow opens', () => {
  it('is not quoted', async () => {
    const hub = await startHub();
    closing.push(() => hub.close());
    const cardUrl = await saying(400, MISSING);
    const answer = await hub.admin('POST', '/api/v1/agents', { cardUrl });
    expect(answer.body.detail).toMatch(/agent-card.json: HTTP 400;.*agent.json: HTTP 400$/);
    expect(answer.text).not.toContain('assistant_id');
  });
});
