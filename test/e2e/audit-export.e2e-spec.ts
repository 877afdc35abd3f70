import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashOfEvent } from '../../src/audit/domain/audit-event.js';
import { type Hub, type HubProcess, startHub, startHubProcess } from '../support/app.js';
import { TestAuthority } from '../support/authority.js';
import { startPostgres } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import type { HubClient } from '../support/hub-client.js';
import type { Json } from '../support/json.js';
import { SyslogReceiver } from '../support/syslog-receiver.js';
import { WebhookSink } from '../support/webhook-sink.js';

const KEY = Buffer.alloc(32, 9);
const TOKEN = 'Bearer token-of-the-receiver-0123456789';

const linesIn = (sink: WebhookSink): Json[] =>
  sink.received.flatMap(({ raw }) =>
    raw
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
  );
const change = async (hub: HubClient, name: string): Promise<void> => {
  const answer = await hub.admin('POST', '/api/v1/keys', { name, scopes: ['a2a'] });
  expect(answer.status).toBe(201);
};
const stateOf = async (hub: HubClient, id: string): Promise<Json> => {
  const { body } = await hub.admin('GET', '/api/v1/audit/exports');
  return (body.items as Json[]).find((each) => each['id'] === id)!;
};

/** Fails for what OTLP's JSON encoding does not have in its logs. */
function expectLogs(body: Json): Json[] {
  expect(Object.keys(body)).toEqual(['resourceLogs']);
  const records: Json[] = [];
  const attributes = (list: Json[]): void => {
    for (const { key, value, ...rest } of list) {
      expect([typeof key, Object.keys(rest)]).toEqual(['string', []]);
      const [[kind, content], ...others] = Object.entries(value) as [[string, unknown]];
      expect([['stringValue', 'intValue'].includes(kind), typeof content, others]).toEqual([
        true,
        'string',
        [],
      ]);
    }
  };
  for (const { resource, scopeLogs, ...rest } of body.resourceLogs as Json[]) {
    expect(rest).toEqual({});
    attributes(resource.attributes);
    for (const { scope, logRecords } of scopeLogs as Json[]) {
      expect(typeof scope.name).toBe('string');
      for (const record of logRecords as Json[]) {
        expect(record.timeUnixNano).toMatch(/^\d{19}$/);
        expect(Number.isInteger(record.severityNumber)).toBe(true);
        if (record.traceId !== undefined) expect(record.traceId).toMatch(/^[0-9a-f]{32}$/);
        expect(Object.keys(record.body)).toEqual(['stringValue']);
        attributes(record.attributes);
        records.push(record);
      }
    }
  }
  return records;
}

describe('exports of the audit log', () => {
  let hub: Hub;
  let webhook: WebhookSink;
  let collector: WebhookSink;
  let trouble: WebhookSink;
  let plain: SyslogReceiver;
  let encrypted: SyslogReceiver;
  let distrusted: SyslogReceiver;

  beforeAll(async () => {
    const authority = await TestAuthority.make();
    const server = await authority.issue('logs', ['127.0.0.1']);
    const other = await (await TestAuthority.make('Other')).issue('logs', ['127.0.0.1']);
    [webhook, collector, trouble] = await Promise.all([
      WebhookSink.start(),
      WebhookSink.start(),
      WebhookSink.start(),
    ]);
    [plain, encrypted, distrusted] = await Promise.all([
      SyslogReceiver.start(),
      SyslogReceiver.start(server),
      SyslogReceiver.start(other),
    ]);
    trouble.answer = 'hang';
    const ca = authority.certificate;
    hub = await startHub({
      config: {
        audit: {
          export: [
            {
              ...{ id: 'hook', type: 'webhook', url: webhook.url('/in/secret-path') },
              secret: `whsec_${KEY.toString('base64')}`,
            },
            {
              ...{ id: 'otlp', type: 'otlp', url: collector.url('/v1/logs') },
              authorization: TOKEN,
            },
            { id: 'plain', type: 'syslog', url: `tcp://127.0.0.1:${plain.port}` },
            { id: 'tls', type: 'syslog', url: `tls://127.0.0.1:${encrypted.port}`, ca },
            { id: 'forged', type: 'syslog', url: `tls://127.0.0.1:${distrusted.port}`, ca },
            { id: 'slow', type: 'webhook', url: trouble.url('/unshown-path'), timeout: '200ms' },
            { id: 'private', type: 'webhook', url: 'https://10.1.2.3/x' },
          ],
        },
      },
    });
    await eventually(async () => {
      const { body } = await hub.admin('GET', '/api/v1/audit/exports');
      const states = (body.items as Json[]).map(({ state }) => state as string);
      expect([states.length, states.includes('starting')]).toEqual([7, false]);
    });
    await change(hub, 'first');
  });
  afterAll(async () => {
    await hub?.close();
    await Promise.all(
      [webhook, collector, trouble, plain, encrypted, distrusted].map((each) => each?.close()),
    );
  });

  it('reach a webhook, signed, each chain in its order and with hashes that hold', async () => {
    await eventually(() => {
      const actions = linesIn(webhook).map(({ action, outcome }) => `${action} ${outcome}`);
      expect(actions).toEqual(
        expect.arrayContaining(['keys.create attempted', 'keys.create succeeded']),
      );
    });
    const { headers, raw } = webhook.received[0]!;
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${raw.toString()}`;
    const signature = createHmac('sha256', KEY).update(signed).digest('base64');
    expect(headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'webhook-signature': `v1,${signature}`,
    });
    const lines = linesIn(webhook);
    lines.forEach((line, at) => {
      expect(hashOfEvent({ ...line, at: new Date(line.at as string) } as never)).toBe(line.hash);
      if (at > 0) expect(line.previousHash).toBe(lines[at - 1]!.hash);
    });
  });

  it('reach a collector of OTLP in the form of its JSON encoding', async () => {
    const records = await eventually(() => {
      const all = collector.received.flatMap(({ json }) => expectLogs(json as Json));
      expect(all.length).toBeGreaterThanOrEqual(2);
      return all;
    });
    expect(collector.received[0]!.headers['authorization']).toBe(TOKEN);
    expect(JSON.parse(records[0]!.body.stringValue as string)).toMatchObject({
      action: 'keys.create',
    });
  });

  it.each([
    ['TCP', () => plain],
    ['TLS', () => encrypted],
  ])('reach a receiver of syslog over %s', async (_, receiver) => {
    await eventually(() => expect(receiver().messages.length).toBeGreaterThanOrEqual(2));
    expect(receiver().faults).toEqual([]);
    for (const message of receiver().messages) {
      expect(message).toMatch(
        /^<1\d\d>1 \d{4}-\d\d-\d\dT[\d:.]+Z [\x21-\x7e]+ a2a-hub - [\x21-\x7e]{1,32} \[meta sequenceId="\d+"\] \{.*\}$/,
      );
    }
  });

  it('of syslog are sent again when the connection was cut in between', async () => {
    const before = plain.messages.length;
    plain.cutAfter = 100;
    await change(hub, 'cut');
    await eventually(async () =>
      expect(await stateOf(hub, 'plain')).toMatchObject({
        ...{ state: 'failing', lastError: expect.stringMatching(/broke off/) },
      }),
    );
    plain.cutAfter = Infinity;
    await eventually(async () =>
      expect(await stateOf(hub, 'plain')).toMatchObject({ state: 'sent', failures: 0 }),
    );
    expect(plain.messages.length).toBeGreaterThanOrEqual(before + 2);
  });

  it('say in plain words why a receiver is not reached, with nothing secret', async () => {
    await eventually(async () => {
      expect(await stateOf(hub, 'slow')).toMatchObject({
        ...{
          state: 'failing',
          sent: 0,
          lastError: 'the receiver did not acknowledge within 200 ms',
        },
        ...{ nextAttemptAt: expect.any(String), oldestAt: expect.any(String) },
      });
      expect(await stateOf(hub, 'private')).toMatchObject({
        lastError: expect.stringMatching(/^https:\/\/10\.1\.2\.3 may not be called/),
      });
      expect(await stateOf(hub, 'forged')).toMatchObject({
        lastError: expect.stringMatching(/^no connection to https:\/\/127\.0\.0\.1:\d+ \(/),
      });
    });
    expect(distrusted.messages).toEqual([]);
    const { text } = await hub.admin('GET', '/api/v1/audit/exports');
    const metrics = await hub.get('/metrics');
    expect(metrics.text).toMatch(/a2a_hub_audit_export_waiting_entries\{export="slow"\} [1-9]/);
    const all = text + metrics.text + JSON.stringify(linesIn(webhook));
    expect(all).not.toMatch(/secret-path|unshown-path|token-of-the-receiver|whsec_/);
    expect(all).not.toContain(KEY.toString('base64'));
  });

  it('go on after a receiver that cut, was huge or failed, without a hole', async () => {
    const huge = { status: 200, body: 'x'.repeat(4_000_000) };
    trouble.script.push('cut', 503, huge);
    trouble.answer = 200;
    await eventually(
      async () => expect(await stateOf(hub, 'slow')).toMatchObject({ state: 'sent', waiting: 0 }),
      // Its pauses have grown to half a minute where the machine is slow.
      90_000,
    );
    const seqs = new Set(linesIn(trouble).map(({ seq }) => seq as number));
    expect([...seqs].sort((a, b) => a - b)).toEqual(
      Array.from({ length: seqs.size }, (_, at) => at + Math.min(...seqs)),
    );
  }, 120_000);

  it('are for those who may read the audit log', async () => {
    const key = await hub.createKey({ scopes: ['a2a'] });
    expect((await hub.admin('GET', '/api/v1/audit/exports', undefined, key)).status).toBe(403);
  });
});

describe('kill -9 of two processes with one export', () => {
  let database: Awaited<ReturnType<typeof startPostgres>>;
  let sink: WebhookSink;
  let folder: string;
  const hubs: HubProcess[] = [];

  beforeAll(async () => {
    [database, sink, folder] = await Promise.all([
      startPostgres(),
      WebhookSink.start(),
      mkdtemp(join(tmpdir(), 'a2a-hub-export-')),
    ]);
    const file = join(folder, 'hub.yaml');
    const exports = [
      { id: 'siem', type: 'webhook', url: sink.url('/audit'), from: 'start', batch: 3 },
    ];
    await writeFile(file, JSON.stringify({ audit: { export: exports } }));
    const databaseUrl = await database.migratedUrl();
    const environment = { A2A_HUB_CONFIG: file, A2A_HUB__LOG__LEVEL: 'warn' };
    for (let count = 0; count < 2; count++) {
      hubs.push(await startHubProcess({ databaseUrl, environment }));
    }
  }, 90_000);
  afterAll(async () => {
    await Promise.all(hubs.map((hub) => hub.close()));
    await sink?.close();
    await database?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('loses no entry, and each chain arrives in its order', async () => {
    const [first, second] = hubs as [HubProcess, HubProcess];
    for (let round = 0; round < 5; round++) {
      await Promise.all([change(first, `a${round}`), change(second, `b${round}`)]);
    }
    await first.kill();
    await second.kill();
    await Promise.all([first.restart(), second.restart()]);
    await Promise.all([change(first, 'last'), change(second, 'last')]);
    // Whoever had the lease was killed: the other waits for its end.
    await eventually(
      async () => expect(await stateOf(second, 'siem')).toMatchObject({ waiting: 0, missed: 0 }),
      110_000,
    );
    const listed: Json[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const path: string = `/api/v1/audit?limit=200${cursor && `&cursor=${cursor}`}`;
      const { body } = await first.admin('GET', path);
      listed.push(...(body.items as Json[]));
      cursor = body.nextCursor as string | null;
    }
    const got = linesIn(sink);
    const ids = new Set(got.map(({ id }) => id));
    expect(listed.filter(({ id }) => !ids.has(id))).toEqual([]);
    const newest = new Map<string, number>();
    for (const { chain, seq } of got) {
      const before = newest.get(chain as string) ?? 0;
      // Again, or the next; never one that leaves out another.
      expect(seq as number).toBeLessThanOrEqual(before + 1);
      newest.set(chain as string, Math.max(before, seq as number));
    }
    expect(newest.size).toBeGreaterThanOrEqual(4);
  }, 150_000);
});
