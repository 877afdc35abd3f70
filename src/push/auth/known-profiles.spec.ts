import { beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import type { Log } from '../../common/logger.js';
import type { AuthProfile } from './auth-profile.js';
import type { AuthProfileStore } from './auth-profile-store.js';
import { KnownProfiles } from './known-profiles.js';

let stored: AuthProfile[];
let revision: number;
let reads: number;
let known: KnownProfiles;

function store(name: string, changes: Partial<AuthProfile> = {}): AuthProfile {
  const urls = ['https://hooks.example.com'];
  const made = { id: `id-${stored.length}`, organization: null, name, urls, ...changes };
  stored.push(made as AuthProfile);
  revision += 1;
  return made as AuthProfile;
}

beforeEach(() => {
  stored = [];
  revision = reads = 0;
  const source = {
    revision: () => Promise.resolve(revision),
    all: () => {
      reads += 1;
      return Promise.resolve([...stored]);
    },
  } as Partial<AuthProfileStore> as AuthProfileStore;
  known = new KnownProfiles(source, new SystemClock(), {} as Log);
});

describe('KnownProfiles', () => {
  it("finds an organization's own profile before the one for everybody", async () => {
    const every = store('receiver');
    const own = store('receiver', { organization: 'acme' });
    const url = 'https://hooks.example.com/a';
    expect(await known.usable('acme', 'receiver', url)).toBe(own);
    expect(await known.usable('globex', 'receiver', url)).toBe(every);
    expect(await known.usable('globex', 'other', url)).toBeUndefined();
  });

  it('finds none of another organization, and none for another address', async () => {
    store('receiver', { organization: 'acme' });
    expect(await known.usable('globex', 'receiver', 'https://hooks.example.com/')).toBeUndefined();
    expect(await known.usable('acme', 'receiver', 'https://evil.example.org/')).toBeUndefined();
  });

  it('looks once more for what it does not know, so that a new one is found at once', async () => {
    await known.renew();
    const made = store('new');
    expect(await known.usable('acme', 'new', 'https://hooks.example.com/')).toBe(made);
    const before = reads;
    await known.usable('acme', 'new', 'https://hooks.example.com/');
    expect(reads).toBe(before);
  });

  it('requires what is named, and says nothing of what is not to be seen', async () => {
    store('receiver', { organization: 'acme' });
    await known.require('acme', null, 'https://else.example/', 'f');
    await known.require('acme', 'receiver', 'https://hooks.example.com/x', 'f');
    const refusals = [
      known.require('globex', 'receiver', 'https://hooks.example.com/x', 'f'),
      known.require('acme', 'receiver', 'https://else.example/', 'f'),
    ];
    for (const refusal of refusals) {
      const error: unknown = await refusal.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(HubError);
      expect((error as HubError).violations).toEqual([
        {
          field: 'f',
          description: 'names an auth profile that is not there for this address: receiver',
        },
      ]);
    }
  });

  it('takes the automatic profile with the most specific pattern, then its own, then by name', async () => {
    const automatic = true;
    store('not-automatic', { urls: ['https://hooks.example.com/a'] });
    const [any, z, a, own, foreign] = [
      store('any', { automatic, urls: ['*.example.com'] }),
      store('z', { automatic }),
      store('a', { automatic }),
      store('x', { automatic, organization: 'acme' }),
      store('y', { automatic, organization: 'globex', urls: ['https://hooks.example.com/b'] }),
    ];
    await known.renew();
    expect(known.automaticFor('acme', 'https://hooks.example.com/b')).toBe(own);
    expect(known.automaticFor('globex', 'https://hooks.example.com/b')).toBe(foreign);
    expect(known.automaticFor('globex', 'https://hooks.example.com/c')).toBe(a);
    expect(known.automaticFor('globex', 'https://other.example.com/')).toBe(any);
    expect(known.automaticFor('acme', 'https://example.org/')).toBeUndefined();
    expect(z.name).toBe('z');
  });
});
