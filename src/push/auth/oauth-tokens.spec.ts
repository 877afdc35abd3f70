import { beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../common/clock.js';
import { SecretLockedError } from '../../common/secret-box.js';
import { AuthUnavailableError } from './auth-failure.js';
import type { AuthProfile } from './auth-profile.js';
import { OauthTokens } from './oauth-tokens.js';

const SECRET = 'client-secret-never-shown';

class MovedClock extends SystemClock {
  shiftMs = 0;

  override now(): Date {
    return new Date(1_790_000_000_000 + this.shiftMs);
  }
}

let clock: MovedClock;
let requested: { url: string; headers: Headers; body: URLSearchParams }[];
let answer: () => Response | Promise<Response>;
let tokens: OauthTokens;

/** A token server's answer; each token is another one. */
function granted(changes: object = {}): Response {
  const body = { access_token: `token-${requested.length}`, token_type: 'Bearer', expires_in: 600 };
  return Response.json({ ...body, ...changes });
}

function profile(changes: Partial<AuthProfile> = {}): AuthProfile {
  const parameters = { tokenUrl: 'https://login.example.com/token', clientId: 'hub' };
  return { id: 'p1', version: 1, parameters, ...changes } as AuthProfile;
}

beforeEach(() => {
  clock = new MovedClock();
  requested = [];
  answer = () => granted();
  const fetch = (async (url: string, init: RequestInit) => {
    const body = new URLSearchParams(init.body as URLSearchParams);
    requested.push({ url, headers: new Headers(init.headers), body });
    return answer();
  }) as typeof globalThis.fetch;
  tokens = new OauthTokens({ fetch }, clock, { timeoutMs: 1000 });
});

describe('OauthTokens', () => {
  it('asks for what the profile says, with the secret in the header', async () => {
    const parameters = {
      ...profile().parameters,
      scope: 'a b',
      audience: 'https://hooks.example.com',
      resource: 'https://hooks.example.com/r',
    };
    expect(await tokens.get(profile({ parameters }), SECRET)).toBe('token-1');
    const [{ url, headers, body }] = requested as [(typeof requested)[0]];
    expect(url).toBe('https://login.example.com/token');
    expect(headers.get('authorization')).toMatch(/^Basic /);
    expect(Object.fromEntries(body)).toEqual({
      grant_type: 'client_credentials',
      scope: 'a b',
      audience: 'https://hooks.example.com',
      resource: 'https://hooks.example.com/r',
    });
  });

  it('puts the secret into the body when the profile says so', async () => {
    const parameters = {
      ...profile().parameters,
      clientAuthentication: 'client_secret_post',
    } as const;
    await tokens.get(profile({ parameters }), SECRET);
    expect(requested[0]!.headers.get('authorization')).toBeNull();
    expect(requested[0]!.body.get('client_secret')).toBe(SECRET);
  });

  it('keeps a token until shortly before its end', async () => {
    await tokens.get(profile(), SECRET);
    clock.shiftMs = 569_000;
    expect(await tokens.get(profile(), SECRET)).toBe('token-1');
    clock.shiftMs = 570_000;
    expect(await tokens.get(profile(), SECRET)).toBe('token-2');
  });

  it('asks once, however many need a token at the same time', async () => {
    let grant = (): void => undefined;
    answer = () => new Promise((resolve) => (grant = () => resolve(granted())));
    const wanted = Array.from({ length: 50 }, () => tokens.get(profile(), SECRET));
    await Promise.resolve();
    grant();
    expect(new Set(await Promise.all(wanted)).size).toBe(1);
    expect(requested).toHaveLength(1);
  });

  it('gets a new one after a refusal, and not again while that is refused too', async () => {
    const first = await tokens.get(profile(), SECRET);
    expect(tokens.refused(profile(), first)).toBe(true);
    const second = await tokens.get(profile(), SECRET);
    expect(second).not.toBe(first);
    expect(tokens.refused(profile(), first)).toBe(true);
    expect(tokens.refused(profile(), second)).toBe(false);
    expect(await tokens.get(profile(), SECRET)).toBe(second);
    clock.shiftMs += 60_000;
    expect(tokens.refused(profile(), second)).toBe(true);
    expect(await tokens.get(profile(), SECRET)).toBe('token-3');
  });

  it('forgets what it knows when the clock is set back behind it', async () => {
    clock.shiftMs = 86_400_000;
    answer = () => {
      throw Object.assign(new Error('down'), { code: 'ECONNREFUSED' });
    };
    await expect(tokens.get(profile(), SECRET)).rejects.toThrow('ECONNREFUSED');
    answer = () => granted();
    clock.shiftMs = 0;
    const token = await tokens.get(profile(), SECRET);
    clock.shiftMs = -86_400_000;
    expect(await tokens.get(profile(), SECRET)).not.toBe(token);
  });

  it('asks once more with the newest secret when the server does not take the one before', async () => {
    answer = () => {
      const isNew = requested.at(-1)!.headers.get('authorization') === `Basic ${btoa('hub:new')}`;
      return isNew ? granted() : Response.json({ error: 'invalid_client' }, { status: 401 });
    };
    const newest = (): Promise<string> => Promise.resolve('new');
    expect(await tokens.get(profile(), 'old', newest)).toBe('token-2');
    const unread = new SecretLockedError(null, 'cannot be read');
    const failing = tokens.get(profile({ version: 2 }), 'old', () => Promise.reject(unread));
    await expect(failing).rejects.toBe(unread);
    await expect(tokens.get(profile({ version: 3 }), 'old')).rejects.toThrow('invalid_client');
    expect(requested).toHaveLength(4);
  });

  it('forgets the token of a profile that was changed', async () => {
    await tokens.get(profile(), SECRET);
    expect(await tokens.get(profile({ version: 2 }), SECRET)).toBe('token-2');
  });

  it.each([
    [
      'an OAuth error',
      () => Response.json({ error: 'invalid_client' }, { status: 400 }),
      /invalid_client \(HTTP 400\)/,
    ],
    [
      'a challenge',
      () => new Response('', { status: 401, headers: { 'www-authenticate': 'Basic' } }),
      /HTTP 401/,
    ],
    ['a server error', () => new Response('oops', { status: 503 }), /HTTP 503/],
    [
      'a page',
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      /HTTP 200/,
    ],
    ['no token', () => Response.json({ token_type: 'Bearer' }), /no token answer/],
    ['another type', () => granted({ token_type: 'mac' }), /no token/],
    ['a token with a line break', () => granted({ access_token: 'a\nb' }), /header/],
    ['a huge answer', () => Response.json({ access_token: 'x'.repeat(70_000) }), /too large/],
    [
      'no connection',
      () => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })),
      /ECONNREFUSED/,
    ],
  ])('says of %s what is wrong, without a secret', async (_, failing, words) => {
    answer = failing;
    const error = await tokens.get(profile(), SECRET).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AuthUnavailableError);
    const { message, cause } = error as Error;
    expect(message).toMatch(/^no token from https:\/\/login\.example\.com: /);
    expect(message).toMatch(words);
    expect(message).not.toContain(SECRET);
    expect(cause).toBeUndefined();
  });

  it('asks a server that failed again after half a second, not before', async () => {
    answer = () => new Response('', { status: 503 });
    await expect(tokens.get(profile(), SECRET)).rejects.toThrow('503');
    answer = () => granted();
    await expect(tokens.get(profile(), SECRET)).rejects.toThrow('503');
    expect(requested).toHaveLength(1);
    clock.shiftMs += 500;
    expect(await tokens.get(profile(), SECRET)).toBe('token-2');
  });
});
