import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Agent, OrganizationCredentials } from '../../src/agents/agent.js';
import type { AgentStore } from '../../src/agents/registry/agent-store.js';
import { HubError } from '../../src/common/hub-error.js';
import { anAgent } from '../support/an-agent.js';

const DELETED_AT = new Date(1_700_000_100_000);

/** What every {@link AgentStore} promises; `make` gives an empty one. */
export function agentStoreContract(make: () => Promise<AgentStore>): void {
  describe('AgentStore', () => {
    let store: AgentStore;
    const ids = async (...args: Parameters<AgentStore['list']>) =>
      (await store.list(...args)).items.map((agent) => agent.id);

    beforeEach(async () => {
      store = await make();
    });

    it('gives back what was added, every member of it', async () => {
      const agent = anAgent('full', {
        cardUrl: 'https://full.example/.well-known/agent-card.json',
        cardHeaders: { 'x-key': 'card secret' },
        endpointOverride: 'https://inner.example/',
        pin: { protocolBinding: 'GRPC', protocolVersion: '0.3' },
        refused: [
          { url: 'https://x.example', protocolBinding: 'JSONRPC', reason: 'It is refused.' },
        ],
        credentials: { authorization: 'Bearer secret' },
        authentication: {
          type: 'oauth2-client-credentials',
          tokenUrl: 'https://login.example/token',
          clientId: 'hub',
          clientSecret: 'sécret',
          scopes: ['a', 'b'],
        },
        credentialOrigins: ['https://inner.example', 'http://x.example:8080'],
        tags: ['blue', 'grün'],
        priority: -3,
        weight: 20,
        maxConcurrent: 3,
        maxQueue: 40,
        enabled: false,
        organizations: ['red', 'blau & grün'],
        cardKeys: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'abc', kid: 'k' }] },
        signature: {
          outcome: 'verified',
          keyId: 'k',
          algorithm: 'EdDSA',
          keySource: 'agent',
          keyThumbprint: 'thumb',
          wasVerified: true,
          reason: 'Signed.',
        },
        budgets: { connectMs: 100 },
        switches: { streaming: 'off', pollIntervalMs: 900, files: 'twice' },
        source: 'config',
      });
      await store.add(agent);
      expect(await store.get('full')).toEqual(agent);
      expect(await store.all()).toEqual([agent]);
    });

    it('keeps a card with lone surrogates', async () => {
      const agent = anAgent('odd', {}, { description: 'ab\ud800c' });
      await store.add(agent);
      expect((await store.get('odd'))?.card.description).toBe('ab\ud800c');
    });

    it('refuses an id that is taken and leaves the first agent as it is', async () => {
      await store.add(anAgent('one', { priority: 1 }));
      const second = store.add(anAgent('one', { priority: 2 }));
      await expect(second).rejects.toBeInstanceOf(HubError);
      await expect(second).rejects.toMatchObject({ reason: 'CONFLICT' });
      expect((await store.get('one'))?.priority).toBe(1);
    });

    it('lets changes made at once all count', async () => {
      await store.add(anAgent('one'));
      const more = (tag: string) => (agent: Agent) => ({ ...agent, tags: [...agent.tags, tag] });
      const wanted = Array.from({ length: 20 }, (_, index) => `tag-${index}`);
      await Promise.all(wanted.map((tag) => store.update('one', more(tag))));
      expect([...(await store.get('one'))!.tags].sort()).toEqual([...wanted].sort());
    });

    it('changes nothing when the change throws or there is no such agent', async () => {
      await store.add(anAgent('one'));
      const before = await store.revision();
      const thrown = store.update('one', () => {
        throw new HubError('CONFLICT', 'no');
      });
      await expect(thrown).rejects.toMatchObject({ reason: 'CONFLICT' });
      expect(await store.update('none', (agent) => agent)).toBeUndefined();
      expect(await store.get('one')).toEqual(anAgent('one'));
      expect(await store.revision()).toBe(before);
    });

    it('removes an agent once', async () => {
      await store.add(anAgent('one'));
      expect(await store.remove('one', DELETED_AT)).toBe(true);
      expect(await store.remove('one', DELETED_AT)).toBe(false);
      expect(await store.get('one')).toBeUndefined();
    });

    it('shows a deleted agent in all() only, with its endpoint and credentials', async () => {
      const agent = anAgent('one', { credentials: { authorization: 'Bearer secret' } });
      await store.add(agent);
      await store.remove('one', DELETED_AT);
      expect(await store.all()).toEqual([{ ...agent, deletedAt: DELETED_AT }]);
      expect(await ids({}, 10)).toEqual([]);
      expect(await store.update('one', () => agent)).toBeUndefined();
      expect((await store.all())[0]?.deletedAt).toEqual(DELETED_AT);
    });

    it('gives the id of a deleted agent to a new one, and keeps the deleted one in all() as it was', async () => {
      const old = anAgent('one', { credentials: { authorization: 'old' }, tags: ['old'] });
      await store.add(old);
      await store.remove('one', DELETED_AT);
      const again = anAgent('one', { priority: 7, createdAt: DELETED_AT });
      await store.add(again);
      expect(await store.all()).toEqual([again, { ...old, deletedAt: DELETED_AT }]);
      expect(await store.get('one')).toEqual(again);
      expect(await ids({}, 10)).toEqual(['one']);
      await expect(store.add(again)).rejects.toMatchObject({ reason: 'CONFLICT' });
      expect(await store.purge(new Date(DELETED_AT.getTime() + 1))).toBe(1);
      expect(await store.all()).toEqual([again]);
    });

    it('keeps ten of those that had an id, the last ones', async () => {
      for (let time = 1; time <= 13; time++) {
        await store.add(anAgent('one', { createdAt: new Date(time) }));
        await store.remove('one', DELETED_AT);
      }
      await store.add(anAgent('one-more'));
      await store.add(anAgent('one', { createdAt: new Date(14) }));
      const kept = (await store.all()).filter(({ id }) => id === 'one');
      expect(kept.map(({ createdAt }) => createdAt.getTime()).sort((a, b) => a - b)).toEqual([
        4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
      ]);
    });

    it('removes none that a check refuses', async () => {
      await store.add(anAgent('one'));
      const refuse = ({ id }: Agent): never => {
        throw new HubError('NOT_FOUND', id);
      };
      await expect(store.remove('one', DELETED_AT, refuse)).rejects.toThrow('one');
      expect(await store.get('one')).toEqual(anAgent('one'));
    });

    it('forgets agents deleted before a time, and no others', async () => {
      for (const id of ['open', 'late', 'early']) await store.add(anAgent(id));
      await store.remove('early', new Date(DELETED_AT.getTime() - 1));
      await store.remove('late', DELETED_AT);
      const before = await store.revision();
      expect(await store.purge(DELETED_AT)).toBe(1);
      expect((await store.all()).map(({ id }) => id)).toEqual(['late', 'open']);
      const after = await store.revision();
      expect(after).toBeGreaterThan(before);
      expect(await store.purge(DELETED_AT)).toBe(0);
      expect(await store.revision()).toBe(after);
    });

    describe('what organizations have of their own', () => {
      const own = (value: string, updatedAt = DELETED_AT): OrganizationCredentials => ({
        credentials: { authorization: value },
        authentication: null,
        credentialOrigins: ['https://one.example'],
        updatedAt,
      });
      const put = (organization: string, value: string) =>
        store.putCredentials('one', organization, () => own(value));
      const known = async () =>
        (await store.all()).find(({ id }) => id === 'one')?.organizationCredentials;

      beforeEach(() => store.add(anAgent('one')));

      it('is kept by organization, in place of what there was, and shown by all()', async () => {
        expect(await put('red', 'first')).toEqual({ kept: own('first'), isNew: true });
        expect(await put('red', 'second')).toEqual({ kept: own('second'), isNew: false });
        await put('blue', 'third');
        expect(await store.credentialsOf('one', 'red')).toEqual(own('second'));
        expect(await store.credentialsOf('one', 'green')).toBeUndefined();
        expect(await known()).toEqual(
          new Map([
            ['red', own('second')],
            ['blue', own('third')],
          ]),
        );
        expect(await store.get('one')).toEqual(anAgent('one'));
      });

      it('names its organization in its authentication', async () => {
        const authentication = { type: 'mtls', certificate: 'c', privateKey: 'k' } as const;
        await store.putCredentials('one', 'red', () => ({ ...own('x'), authentication }));
        expect((await known())?.get('red')?.authentication).toEqual({
          ...authentication,
          organization: 'red',
        });
      });

      it('is made of the agent as it is stored, and not at all when that throws or there is none', async () => {
        const seen: Agent[] = [];
        await store.putCredentials('one', 'red', (agent) => (seen.push(agent), own('x')));
        expect(seen).toContainEqual(anAgent('one'));
        const thrown = store.putCredentials('one', 'red', () => {
          throw new HubError('CONFLICT', 'no');
        });
        await expect(thrown).rejects.toMatchObject({ reason: 'CONFLICT' });
        expect(await store.credentialsOf('one', 'red')).toEqual(own('x'));
        expect(await store.putCredentials('none', 'red', () => own('x'))).toBeUndefined();
      });

      it('raises the revision with every change and not without one', async () => {
        const seen = [await store.revision()];
        const noted = async () => seen.push(await store.revision());
        await put('red', 'x');
        await noted();
        expect(await store.removeCredentials('one', 'red')).toBe(true);
        await noted();
        expect(await store.removeCredentials('one', 'red')).toBe(false);
        await noted();
        expect(seen[1]).toBeGreaterThan(seen[0]!);
        expect(seen[2]).toBeGreaterThan(seen[1]!);
        expect(seen[3]).toBe(seen[2]);
      });

      it('stays with a deleted agent until that is forgotten', async () => {
        await put('red', 'x');
        await store.remove('one', DELETED_AT);
        expect(await known()).toEqual(new Map([['red', own('x')]]));
        expect(await store.credentialsOf('one', 'red')).toBeUndefined();
        await store.purge(new Date(DELETED_AT.getTime() + 1));
        await store.add(anAgent('one'));
        expect(await known()).toBeUndefined();
      });

      it('stays with the deleted agent when the id is taken anew', async () => {
        await put('red', 'x');
        await store.remove('one', DELETED_AT);
        await store.add(anAgent('one', { createdAt: DELETED_AT }));
        expect(await store.credentialsOf('one', 'red')).toBeUndefined();
        expect(await known()).toBeUndefined();
        const deleted = (await store.all()).find(({ deletedAt }) => deletedAt !== null);
        expect(deleted?.organizationCredentials).toEqual(new Map([['red', own('x')]]));
      });
    });

    describe('the card before the one in use', () => {
      const changed = (name: string, at: number) => (agent: Agent) => ({
        ...agent,
        ...anAgent(agent.id, { updatedAt: new Date(at) }, { name }),
      });
      const previous = async () => {
        const found = await store.withPreviousCard('one');
        return found?.previous && [found.previous.card.name, found.previous.replacedAt.getTime()];
      };

      it('is kept when the card says something else, and only then', async () => {
        expect(await store.withPreviousCard('one')).toBeUndefined();
        await store.add(anAgent('one'));
        expect(await store.withPreviousCard('one')).toEqual({
          agent: anAgent('one'),
          previous: null,
        });
        await store.update('one', changed('Second', 5));
        expect(await previous()).toEqual(['Agent one', 5]);
        await store.update('one', (agent) => ({ ...agent, priority: 9 }));
        await store.update('one', (agent) => ({
          ...agent,
          originalCard: `${agent.originalCard} `,
          updatedAt: new Date(6),
        }));
        expect(await previous()).toEqual(['Agent one', 5]);
        await store.update('one', changed('Third', 7));
        expect(await previous()).toEqual(['Second', 7]);
        expect((await store.withPreviousCard('one'))?.previous?.signature).toEqual(
          anAgent('one').signature,
        );
      });

      it('goes with the agent, and a new one of its id has none', async () => {
        await store.add(anAgent('one'));
        await store.update('one', changed('Second', 5));
        await store.remove('one', DELETED_AT);
        expect(await store.withPreviousCard('one')).toBeUndefined();
        await store.add(anAgent('one'));
        expect(await previous()).toBeNull();
      });
    });

    it('raises its revision with every change and not without one', async () => {
      const seen = [await store.revision()];
      const noted = async () => seen.push(await store.revision());
      await store.add(anAgent('one'));
      await noted();
      await store.update('one', (agent) => ({ ...agent, priority: 2 }));
      await noted();
      await store.remove('one', DELETED_AT);
      await noted();
      expect(seen).toEqual([...seen].sort((a, b) => a - b));
      expect(new Set(seen).size).toBe(4);
      await store.remove('one', DELETED_AT);
      expect(await store.revision()).toBe(seen.at(-1));
    });

    it('lists by id in pages, each agent once', async () => {
      for (const id of ['e', 'b', 'd', 'a', 'c']) await store.add(anAgent(id));
      const first = await store.list({}, 2);
      expect(first.items.map((agent) => agent.id)).toEqual(['a', 'b']);
      const second = await store.list({}, 2, first.nextCursor!);
      expect(second.items.map((agent) => agent.id)).toEqual(['c', 'd']);
      const last = await store.list({}, 2, second.nextCursor!);
      expect(last.items.map((agent) => agent.id)).toEqual(['e']);
      expect(last.nextCursor).toBeNull();
      expect((await store.list({}, 5)).nextCursor).toBeNull();
    });

    it('lists by the characters of the ids', async () => {
      for (const id of ['ab', 'a-c', 'a0']) await store.add(anAgent(id));
      const inOrder = ['a-c', 'a0', 'ab'];
      expect((await store.all()).map(({ id }) => id)).toEqual(inOrder);
      const { items, nextCursor } = await store.list({}, 1);
      const rest = await store.list({}, 2, nextCursor!);
      expect([...items, ...rest.items].map(({ id }) => id)).toEqual(inOrder);
    });

    it('filters by tag, skill, text and state, alone and together', async () => {
      const skill = (id: string, name: string, tags: string[]) => ({
        skills: [{ id, name, tags }],
      });
      await store.add(anAgent('csv', { tags: ['Data'] }, skill('profile', 'Profiler', ['CSV'])));
      await store.add(anAgent('text', { enabled: false }, skill('stats', 'Counting', ['data'])));
      await store.add(
        anAgent('code', {}, { description: 'Measures CODE', ...skill('m', 'M', []) }),
      );
      expect(await ids({ tag: 'data' }, 10)).toEqual(['csv', 'text']);
      expect(await ids({ tag: 'csv' }, 10)).toEqual(['csv']);
      expect(await ids({ tag: 'cs' }, 10)).toEqual([]);
      expect(await ids({ skill: 'stats' }, 10)).toEqual(['text']);
      expect(await ids({ text: 'measures code' }, 10)).toEqual(['code']);
      expect(await ids({ text: 'profil' }, 10)).toEqual(['csv']);
      expect(await ids({ text: 'AGENT' }, 10)).toEqual(['code', 'csv', 'text']);
      expect(await ids({ enabled: false }, 10)).toEqual(['text']);
      expect(await ids({ tag: 'data', enabled: true }, 10)).toEqual(['csv']);
      const page = await store.list({ text: 'agent' }, 1);
      expect(page.nextCursor).toBe('code');
      expect(await ids({ text: 'agent' }, 1, page.nextCursor!)).toEqual(['csv']);
    });
  });
}
