import { expect, it } from '@jest/globals';
import { SqlAgentStore } from '../../src/agents/persistence/sql-agent.store.js';
import { agentFor } from '../../src/agents/endpoint/agent-for.js';
import { Locked } from '../../src/agents/endpoint/sealed-json.js';
import { sendableNow } from '../../src/agents/endpoint/sealed-headers.js';
import { countTurns } from '../../src/common/fake-loop-turns.js';
import { SecretBox } from '../../src/common/secret-box.js';
import { readReferred } from '../../src/common/secret-references/referred-secret.js';
import { agentStoreContract } from '../contract/agent-store.contract.js';
import { consentStoreContract } from '../contract/consent-store.contract.js';
import { SqlActivityStore } from '../../src/observability/persistence/sql-activity.store.js';
import { anAgent, NO_REFERENCES } from '../support/an-agent.js';
import { describeDatabases } from '../support/databases.js';
import { keyNamed, testSecrets } from '../support/secret-box.js';

describeDatabases('consents of users', (databases) => consentStoreContract(databases));

describeDatabases('agents', (databases) => {
  agentStoreContract(async () => new SqlAgentStore(await databases.openEmptied(), testSecrets()));

  it('take what was counted of them along, when they are deleted and when their id is taken anew', async () => {
    const database = await databases.openEmptied();
    const store = new SqlAgentStore(database, testSecrets());
    const activity = new SqlActivityStore(database);
    const [at, of] = [
      Date.parse('2026-01-01T12:00:00Z'),
      { organization: '', count: 1, totalMs: 3 },
    ];
    const count = (...agentIds: string[]) =>
      activity.add(
        agentIds.flatMap((agentId) => [
          { ...of, kind: 'calls' as const, name: 'answered', agentId, at },
          { ...of, kind: 'conditions' as const, name: 'up/closed', agentId, at },
        ]),
      );
    const counted = async () => {
      const query = { kinds: ['calls', 'conditions'] as const, agentIds: ['one', 'two'] };
      const spans = ([1, 15] as const).map((span) =>
        activity.read({ ...query, span, from: 0, to: at + 1 }),
      );
      return (await Promise.all(spans)).flat().map(({ agentId }) => agentId);
    };
    for (const id of ['one', 'two']) await store.add(anAgent(id));
    await count('one', 'two');
    expect(await counted()).toHaveLength(8);
    await store.remove('one', new Date(5));
    expect(await counted()).toEqual(['two', 'two', 'two', 'two']);
    // A call that was under way.
    await count('one');
    await store.add(anAgent('one'));
    expect(await counted()).toEqual(['two', 'two', 'two', 'two']);
  });

  it('are read anew as far as they have changed, in several turns of the event loop', async () => {
    const store = new SqlAgentStore(await databases.openEmptied(), testSecrets());
    const ids = Array.from({ length: 120 }, (_, i) => `agent-${String(i).padStart(3, '0')}`);
    for (const id of ids) await store.add(anAgent(id));
    const turns = countTurns();
    const first = await store.all();
    expect(turns()).toBeGreaterThan(2);
    expect(first.map(({ id }) => id)).toEqual(ids);
    await store.update('agent-050', (agent) => ({ ...agent, tags: ['new'] }));
    await store.remove('agent-070', new Date(5));
    await store.putCredentials('agent-090', 'acme', () => ({
      credentials: { authorization: 'Bearer of acme' },
      authentication: null,
      credentialOrigins: [],
      updatedAt: new Date(5),
    }));
    const second = await store.all();
    expect(second.map(({ id }) => id)).toEqual(ids);
    const changed = second.filter(({ card }, i) => card !== first[i]!.card);
    expect(changed.map(({ id }) => id)).toEqual(['agent-050', 'agent-070']);
    expect(changed.map(({ tags, deletedAt }) => [tags, deletedAt])).toEqual([
      [['new'], null],
      [[], new Date(5)],
    ]);
    expect(second[90]!.organizationCredentials?.has('acme')).toBe(true);
  });

  it('keep headers whose key is missing, whatever else of them is changed meanwhile', async () => {
    const database = await databases.open();
    const [k1, k2] = [keyNamed('k1'), keyNamed('k2')];
    const before = new SqlAgentStore(database, new SecretBox([k1]));
    const agent = anAgent('one', {
      credentials: { authorization: 'Bearer secret', 'x-team': 'blue' },
      cardHeaders: { 'x-card': 'card secret' },
    });
    await before.add(agent);

    const without = new SqlAgentStore(database, new SecretBox([k2]));
    const locked = (await without.get('one'))!;
    expect(Object.keys(locked.credentials)).toEqual(['authorization', 'x-team']);
    expect(() => sendableNow(locked.credentials, NO_REFERENCES)).toThrow(
      /authorization .* secrets\.keys/,
    );
    await without.update('one', (stored) => ({
      ...stored,
      tags: ['new'],
      credentials: { ...stored.credentials, 'x-team': 'red' },
    }));

    const back = new SqlAgentStore(database, new SecretBox([k2, k1]));
    expect(await back.get('one')).toEqual({
      ...agent,
      tags: ['new'],
      credentials: { authorization: 'Bearer secret', 'x-team': 'red' },
    });
  });

  it('send nothing for an organization whose credentials cannot be opened or read', async () => {
    const database = await databases.openEmptied();
    const store = new SqlAgentStore(database, new SecretBox([keyNamed('k1')]));
    await store.add(anAgent('one'));
    const own = {
      credentials: { authorization: 'Bearer secret' },
      authentication: null,
      credentialOrigins: ['https://one.example'],
      updatedAt: new Date(1_700_000_000_002),
    };
    await store.putCredentials('one', 'red', () => own);
    const rows = await database.read('SELECT * FROM agent_credentials', []);
    expect(JSON.stringify(rows)).not.toContain('Bearer');
    const without = new SqlAgentStore(database, new SecretBox([keyNamed('k2')]));
    const callsFor = async () => {
      const [agent] = await without.all();
      const { credentials, authentication } = agentFor(agent!, 'red');
      return [credentials, authentication instanceof Locked];
    };
    expect(await callsFor()).toEqual([{}, true]);
    const key = new SecretBox([keyNamed('k2')]);
    for (const stored of ['not sealed', key.seal('no JSON')]) {
      const sql = 'UPDATE agent_credentials SET sealed_credentials = ?';
      await database.write((tx) => tx.run(sql, [stored]));
      expect(await callsFor()).toEqual([{}, true]);
    }
  });

  it('keep references sealed as the values they stand for, and give them back as they were', async () => {
    const database = await databases.openEmptied();
    const store = new SqlAgentStore(database, testSecrets());
    const written = { secretRef: 'vault:agents/books#token', prefix: 'Bearer ' };
    const authorization = readReferred(written, { organization: 'acme' })!;
    const agent = anAgent('one', { credentials: { authorization, 'x-literal': 'env:HOME' } });
    await store.add(agent);
    expect(await store.get('one')).toEqual(agent);
    const rows = await database.read<{ credentials: string }>('SELECT credentials FROM agents', []);
    expect(JSON.stringify(rows)).toContain('v1:test:');
    expect(JSON.stringify(rows)).not.toMatch(/vault:|env:HOME/);
  });

  it('are read as development versions before there were keys stored them', async () => {
    const database = await databases.open();
    const store = new SqlAgentStore(database, testSecrets());
    await store.add(anAgent('one'));
    const clear = JSON.stringify({ authorization: 'Bearer old' });
    await database.write((tx) => tx.run('UPDATE agents SET credentials = ?', [clear]));
    expect((await store.get('one'))?.credentials).toEqual({ authorization: 'Bearer old' });
  });
});
