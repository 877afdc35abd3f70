import { describe, expect, it } from '@jest/globals';
import { SecretBox } from '../../common/secret-box.js';
import { NoTracing } from '../../common/tracing/tracing.js';
import { AttemptSender } from './attempt-sender.js';
import { AuthImpossibleError, AuthUnavailableError } from '../auth/auth-failure.js';
import type { Proof } from '../auth/authenticator.js';
import type { TaskWebhook } from '../registration/webhook.js';
import {
  type AttemptDeadline,
  type WebhookAnswer,
  type WebhookRequest,
  WebhookSender,
} from './webhook-sender.js';

const SECRETS = new SecretBox([{ id: 'unit', key: Buffer.alloc(32, 1).toString('base64') }]);
const WEBHOOK = {
  url: 'https://hooks.example.com/a',
  version: '1.0',
  traceparent: null,
  sealedToken: SECRETS.seal('the-token'),
} as TaskWebhook;
const FACTS = {
  contentType: 'application/a2a+json',
  webhookId: 'cfg.7',
  at: new Date(0),
  attempt: 1,
  seq: 7,
  number: 3,
  gapSeq: null,
};
const NEVER = new AbortController().signal;

function answered(status: number | null): WebhookAnswer {
  const error = status === null ? 'network' : null;
  return { status, error, detail: null, retryAfterMs: null, response: '', durationMs: 1 };
}

/** Answers in order, the last one again and again. */
class ScriptedSender extends WebhookSender {
  readonly requests: WebhookRequest[] = [];

  constructor(private readonly statuses: (number | 'hang')[]) {
    super();
  }

  send(request: WebhookRequest, { signal }: AttemptDeadline): Promise<WebhookAnswer> {
    this.requests.push(request);
    const status = this.statuses.length > 1 ? this.statuses.shift()! : this.statuses[0]!;
    if (status !== 'hang') return Promise.resolve(answered(status));
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(answered(null)));
    });
  }
}

function proof(changes: Partial<Proof> = {}): Proof {
  return { headers: {}, secrets: [], tls: {}, ...changes };
}

async function send(
  sender: WebhookSender,
  prove: () => Promise<Proof>,
  { timeoutMs = 5000, signal = NEVER } = {},
): Promise<WebhookAnswer> {
  const attempts = new AttemptSender(sender, { prove }, SECRETS, { timeoutMs }, new NoTracing());
  return attempts.send(WEBHOOK, FACTS, '{}', signal);
}

describe('AttemptSender', () => {
  it('sends the proof, the token and the facts, and names every secret to be hidden', async () => {
    const sender = new ScriptedSender([200]);
    const tls = { clientCertificate: { certificate: 'C', key: 'K' }, ca: 'A' };
    const made = proof({ headers: { authorization: 'Bearer abc' }, secrets: ['abc'], tls });
    expect(await send(sender, () => Promise.resolve(made))).toMatchObject({ status: 200 });
    expect(sender.requests).toEqual([
      {
        url: WEBHOOK.url,
        body: '{}',
        secrets: ['abc', 'the-token'],
        headers: expect.objectContaining({
          authorization: 'Bearer abc',
          'a2a-notification-token': 'the-token',
          'webhook-id': 'cfg.7',
        }) as object,
        ...tls,
      },
    ]);
  });

  it('tries once more with a new proof after a 401 to one that can be renewed', async () => {
    const sender = new ScriptedSender([401, 401]);
    let made = 0;
    const prove = (): Promise<Proof> => {
      made += 1;
      return Promise.resolve(
        proof({ headers: { authorization: `t${made}` }, refused: () => true }),
      );
    };
    expect(await send(sender, prove)).toMatchObject({ status: 401 });
    expect(sender.requests.map(({ headers }) => headers['authorization'])).toEqual(['t1', 't2']);
  });

  it('does not when the proof is what the client gave, or the status another one', async () => {
    const fixed = new ScriptedSender([401]);
    await send(fixed, () => Promise.resolve(proof()));
    expect(fixed.requests).toHaveLength(1);
    const stale = new ScriptedSender([401]);
    await send(stale, () => Promise.resolve(proof({ refused: () => false })));
    expect(stale.requests).toHaveLength(1);
    const forbidden = new ScriptedSender([403]);
    await send(forbidden, () => Promise.resolve(proof({ refused: () => true })));
    expect(forbidden.requests).toHaveLength(1);
  });

  it("answers the receiver's 401 when no new proof can be made", async () => {
    let made = 0;
    const prove = (): Promise<Proof> =>
      made++ === 0
        ? Promise.resolve(proof({ refused: () => true }))
        : Promise.reject(new AuthUnavailableError('away'));
    expect(await send(new ScriptedSender([401]), prove)).toMatchObject({
      status: 401,
      error: null,
    });
  });

  it('answers with the class auth when the proof cannot be made now, and sends nothing', async () => {
    const sender = new ScriptedSender([200]);
    const answer = await send(sender, () => Promise.reject(new AuthUnavailableError('no token')));
    expect(answer).toMatchObject({ status: null, error: 'auth', detail: 'no token' });
    expect(answer.isPermanent).toBeUndefined();
    expect(sender.requests).toEqual([]);
  });

  it('says that it is isPermanent when the proof cannot be made at all', async () => {
    const sender = new ScriptedSender([200]);
    const answer = await send(sender, () => Promise.reject(new AuthImpossibleError('no profile')));
    expect(answer).toMatchObject({
      status: null,
      error: 'auth',
      detail: 'no profile',
      isPermanent: true,
    });
    expect(sender.requests).toEqual([]);
  });

  it("rejects with a trouble of the hub's own", async () => {
    const trouble = new Error('the database is away');
    await expect(send(new ScriptedSender([200]), () => Promise.reject(trouble))).rejects.toBe(
      trouble,
    );
  });

  it('ends an answer that takes too long in time, as a timeout', async () => {
    const prove = (): Promise<Proof> => Promise.resolve(proof());
    const answer = await send(new ScriptedSender(['hang']), prove, { timeoutMs: 20 });
    expect(answer).toMatchObject({ status: null, error: 'timeout' });
  });

  it('ends a proof that takes too long in time, as one of the class auth, and sends nothing', async () => {
    const sender = new ScriptedSender([200]);
    const answer = await send(sender, () => new Promise(() => undefined), { timeoutMs: 20 });
    const detail = 'the proof of who sends was not made in time';
    expect(answer).toMatchObject({ status: null, error: 'auth', detail });
    expect(answer.isPermanent).toBeUndefined();
    expect(sender.requests).toEqual([]);
  });

  it("keeps the receiver's 401 when the time is up before there is a new proof", async () => {
    let made = 0;
    const prove = (): Promise<Proof> =>
      made++ === 0 ? Promise.resolve(proof({ refused: () => true })) : new Promise(() => undefined);
    const answer = await send(new ScriptedSender([401]), prove, { timeoutMs: 20 });
    expect(answer).toMatchObject({ status: 401, error: null });
  });

  it('is cut by its caller, whatever it waits for', async () => {
    const cutting = new AbortController();
    const waiting = send(new ScriptedSender([200]), () => new Promise(() => undefined), {
      signal: cutting.signal,
    });
    cutting.abort();
    expect(await waiting).toMatchObject({ status: null, error: 'network' });
    const over = send(new ScriptedSender([200]), () => new Promise(() => undefined), {
      signal: cutting.signal,
    });
    expect(await over).toMatchObject({ status: null });
  });
});
