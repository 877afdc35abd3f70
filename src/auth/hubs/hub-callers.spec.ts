import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { HubError } from '../../common/hub-error.js';
import type { KeySets } from '../../common/jwks/key-sets.js';
import type { PublicJwk } from '../../common/jwks/public-jwk.js';
import { SettableClock } from '../../common/fake-settable-clock.js';
import { configWith, type GrpcAddress, type PublicUrl } from '../../config/index.js';
import { actClaim } from '../domain/actors.js';
import { type Principal, principalOf } from '../principal.js';
import type { SignIns, VouchedCaller } from '../sign-ins.js';
import { HubCallers } from './hub-callers.js';

const HUB = 'https://a.example';
const OWN = 'https://b.example';
const NOW = 1_800_000_000;
const PRESENTER = principalOf({
  id: 'p-hub',
  organization: 'hubs',
  scopes: ['a2a', 'push'],
  keyId: 'k1',
});

const ENDED = {
  reason: 'UNAUTHENTICATED',
  message: 'The hub that called is not let in any more.',
  refusal: { cause: 'ended-hub' },
};

let pair: { privateKey: CryptoKey; jwk: PublicJwk };
let other: typeof pair;
let keys: PublicJwk[] | Error;
let signedIn: VouchedCaller[];
/** The credentials of hubs that are valid, with when they end. */
let valid: Map<string, Date | null>;
let clock: SettableClock;

async function makePair(kid: string): Promise<typeof pair> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid } };
}

beforeAll(async () => {
  [pair, other] = [await makePair('one'), await makePair('one')];
});

beforeEach(() => {
  keys = [pair.jwk];
  signedIn = [];
  valid = new Map([['k1', null]]);
  clock = new SettableClock(NOW * 1000);
});

async function callers(hub: object = {}): Promise<HubCallers> {
  const config = configWith({
    auth: { hubs: [{ issuer: HUB, callers: ['p-hub'], organization: 'partner', ...hub }] },
  });
  const keySets = {
    find: (_: string, wanted: (all: readonly PublicJwk[]) => PublicJwk[]) =>
      keys instanceof Error ? Promise.reject(keys) : Promise.resolve(wanted(keys)),
  } as unknown as KeySets;
  const signIns = {
    principalFor: (caller: VouchedCaller) => {
      signedIn.push(caller);
      return Promise.resolve({ id: 'p-user' } as Principal);
    },
  } as unknown as SignIns;
  const found = new HubCallers(
    config,
    { base: `${OWN}/prefix` } as PublicUrl,
    { target: 'b.example:50051', secure: true } as GrpcAddress,
    keySets,
    signIns,
    clock,
    {
      validCredentials: (ids) =>
        Promise.resolve(new Map([...valid].filter(([id]) => ids.includes(id)))),
    },
  );
  await found.onModuleInit();
  return found;
}

const CLAIMS = {
  iss: HUB,
  sub: 'alice-at-a',
  sub_id: { format: 'iss_sub', iss: 'https://login.example', sub: 'alice' },
  aud: OWN,
  act: { sub: 'hub-a' },
  organization: 'acme',
  iat: NOW,
  exp: NOW + 300,
  jti: 'j',
};

function token(changes: object = {}, header: object = {}, key = pair.privateKey): Promise<string> {
  const claims = Object.entries({ ...CLAIMS, ...changes }).filter(
    ([, value]) => value !== undefined,
  );
  return new SignJWT(Object.fromEntries(claims))
    .setProtectedHeader({ alg: 'ES256', typ: 'a2a-hub-caller+jwt', kid: 'one', ...header })
    .sign(key);
}

const call = async (value: string | string[], hub = {}, caller = PRESENTER): Promise<Principal> =>
  (await callers(hub)).principalFor(caller, { 'a2a-hub-caller': value });
const refusal = (value: string | string[], hub = {}, caller = PRESENTER): Promise<HubError> =>
  call(value, hub, caller).then(
    () => Promise.reject(new Error('it was let in')),
    (error: HubError) => error,
  );

describe('a hub that calls for its caller', () => {
  it('calls in the name of a principal of its own for each of its callers', async () => {
    expect(await call(await token())).toEqual({ id: 'p-user' });
    expect(signedIn).toMatchObject([
      {
        issuer: HUB,
        subject: 'alice-at-a',
        organization: 'partner',
        scopes: ['a2a'],
        chain: {
          hub: 'p-hub',
          actors: [{ iss: HUB, sub: 'hub-a' }],
          subject: { iss: 'https://login.example', sub: 'alice' },
        },
      },
    ]);
  });

  it.each([['b.example:50051'], ['https://b.example:50051'], [[OWN]]])(
    'names an interface of the hub: %j',
    async (aud) => {
      expect(await call(await token({ aud }))).toBeDefined();
    },
  );

  it('may name its callers by its own ids alone', async () => {
    await call(await token({ sub_id: undefined }));
    expect(signedIn[0]!.chain).not.toHaveProperty('subject');
  });

  it('names organizations that it may name', async () => {
    const hub = { organization: undefined, organizations: ['acme'] };
    await call(await token(), hub);
    expect(signedIn[0]!.organization).toBe('acme');
    expect((await refusal(await token({ organization: 'evil' }), hub)).message).toMatch(/may name/);
  });

  it('gives no more than it has, and nothing of administration', async () => {
    const scopes = ['a2a', 'push', 'tasks:organization'];
    await call(await token(), { scopes });
    expect(signedIn[0]!.scopes).toEqual(['a2a', 'push']);
  });

  it('is vouched for as long as its key is valid', async () => {
    await call(await token());
    const { voucher } = signedIn[0]!;
    await expect(voucher.check()).resolves.toBeUndefined();
    // A rotation has brought its end forward.
    valid.set('k1', new Date(NOW * 1000 + 5000));
    await expect(voucher.check()).resolves.toBeUndefined();
    clock.ms += 5000;
    await expect(voucher.check()).rejects.toMatchObject(ENDED);
    valid.clear();
    await expect(voucher.check()).rejects.toMatchObject(ENDED);
  });

  it('is vouched for as long as who vouches for its sign-in does, and that lasts', async () => {
    let answer: HubError | Error | undefined;
    const caller = principalOf({
      ...{ id: 'p-hub', organization: 'hubs', scopes: ['a2a'], identityId: 'i1' },
      expiresAt: new Date(NOW * 1000 + 5000),
      voucher: {
        source: 'issuer',
        id: 'certificate of the hub',
        check: () => {
          if (answer !== undefined) throw answer;
        },
      },
    });
    valid.set('i1', null);
    await call(await token(), {}, caller);
    const { voucher } = signedIn[0]!;
    await expect(voucher.check()).resolves.toBeUndefined();
    answer = new HubError('UNAUTHENTICATED', 'The client certificate is not signed by …', {
      refusal: { cause: 'refused-certificate' },
    });
    await expect(voucher.check()).rejects.toMatchObject(ENDED);
    answer = new Error('nobody can be asked');
    await expect(voucher.check()).rejects.toBe(answer);
    answer = undefined;
    clock.ms += 5000;
    await expect(voucher.check()).rejects.toMatchObject(ENDED);
    clock.ms -= 5000;
    valid.delete('i1');
    await expect(voucher.check()).rejects.toMatchObject(ENDED);
  });

  it('is vouched for without a credential where none is needed', async () => {
    const anonymous = principalOf({ id: 'p-hub', organization: 'x', scopes: ['a2a'] });
    await call(await token(), {}, anonymous);
    await expect(signedIn[0]!.voucher.check()).resolves.toBeUndefined();
  });

  it('is vouched for by each of its credentials apart', async () => {
    const signedInWith = (id: string) =>
      principalOf({
        ...{ id: 'p-hub', organization: 'hubs', scopes: ['a2a'], identityId: 'i1' },
        voucher: { id, source: 'issuer', check: () => undefined },
      });
    const idOf = async (caller: Principal): Promise<string> => {
      await call(await token(), {}, caller);
      return signedIn.at(-1)!.voucher.id;
    };
    const first = await idOf(signedInWith('hash of the first token'));
    expect(await idOf(signedInWith('hash of the second token'))).not.toBe(first);
    expect(await idOf(signedInWith('hash of the first token'))).toBe(first);
    expect(first).not.toBe('hash of the first token');
    expect(await idOf(PRESENTER)).toBe('hub k1');
  });

  it('has to be the hub that the token is of', async () => {
    const caller = principalOf({ id: 'p-other', organization: 'x', scopes: ['a2a', 'admin'] });
    const refused = await refusal(await token(), {}, caller);
    expect([refused.reason, signedIn]).toEqual(['PERMISSION_DENIED', []]);
  });

  it('is told to try again while its keys cannot be read', async () => {
    keys = new Error('what the address answered');
    const refused = await refusal(await token());
    expect(refused.reason).toBe('UNAVAILABLE');
    expect(refused.message).not.toContain('answered');
  });
});

it('without hubs such a token is not looked at', async () => {
  const config = configWith({});
  const none = new HubCallers(
    config,
    ...([] as unknown as [never, never, never, never, never, never]),
  );
  await none.onModuleInit();
  expect(none.mayBringToken({ 'a2a-hub-caller': 'x' })).toBe(false);
});

describe('a token that is not valid', () => {
  const tooDeep = actClaim(
    'a',
    Array.from({ length: 8 }, () => ({ iss: HUB, sub: 'x' })),
  );
  const unsecured = new UnsecuredJWT(CLAIMS).encode();
  it.each<[string, () => string | string[] | Promise<string>, RegExp]>([
    ['without signature', () => unsecured, /signed with ES256|form/],
    ['of another hub', () => token({ iss: 'https://c.example' }), /its iss/],
    ['for another', () => token({ aud: 'https://c.example' }), /its aud/],
    ['for the path of the hub', () => token({ aud: `${OWN}/prefix` }), /its aud/],
    ['of another type', () => token({}, { typ: 'at+jwt' }), /its typ/],
    ['expired', () => token({ iat: NOW - 400, exp: NOW - 100 }), /expired/],
    ['older than a call', () => token({ iat: NOW - 4000, exp: NOW + 100 }), /expired/],
    ['of the future', () => token({ iat: NOW + 1000 }), /its iat/],
    ['that does not expire', () => token({ exp: undefined }), /its exp/],
    ['not valid yet', () => token({ nbf: NOW + 1000 }), /its nbf/],
    ['of an unknown key', () => token({}, { kid: 'two' }), /a key that the hub does not publish/],
    ['of no key', () => token({}, { kid: undefined }), /no key/],
    ['signed by another', () => token({}, {}, other.privateKey), /signature/],
    ['of nobody', () => token({ sub: undefined }), /no subject/],
    ['of no hub', () => token({ act: undefined }), /which hub acts/],
    ['of too many', () => token({ act: tooDeep }), /more than 8 actors/],
    ['with an opaque subject', () => token({ sub_id: { format: 'opaque', id: 'x' } }), /sub_id/],
    ['too long', () => token({ act: { sub: 'a', x: 'x'.repeat(12_288) } }), /longer than/],
    ['given twice', () => ['a', 'b'], /several/],
    ['no token', () => 'x', /form/],
  ])('(%s) lets nobody in, and says why', async (_, make, why) => {
    const refused = await refusal(await make());
    expect([refused.reason, signedIn]).toEqual(['UNAUTHENTICATED', []]);
    expect(refused.message).toMatch(why);
    expect(refused.message).not.toContain('alice');
  });
});
