import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AgentBinding,
  type AgentTurn,
  type RunningAgent,
  startSdkAgent,
} from '../support/agents.js';
import { type Hub, startHub, stateOf } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { copyMigratedSqlite } from '../support/sqlite-template.js';

type Version = '1.0' | '0.3';
const WAYS: readonly (readonly [AgentBinding, Version])[] = [
  ['JSONRPC', '1.0'],
  ['HTTP+JSON', '1.0'],
  ['GRPC', '1.0'],
  ['JSONRPC', '0.3'],
  ['HTTP+JSON', '0.3'],
  ['GRPC', '0.3'],
];
/** What each agent is called with for whom: blue has no credentials of its own. */
const USERS = { red: 'Bearer of the red team', blue: 'Bearer of the agent' } as const;
type Team = keyof typeof USERS;
const TEAMS: readonly Team[] = ['red', 'blue'];
/** The agent works on it until it is canceled; of the second it says nothing before the restart. */
type Kind = 'slow' | 'silent';

const idOf = (binding: AgentBinding, version: Version): string =>
  `${binding.replace('+', '-')}-${version.replace('.', '')}`.toLowerCase();

/**
 * Agents that keep the tasks of each credential apart, as services do: with that of another, a task is not there. Every task
 * is under way while the hub restarts, so that what another process goes on with is seen as well.
 */
describe('what agents are called with for one organization, by every way and over a restart', () => {
  let directory: string;
  let hub: Hub;
  const agents = new Map<string, RunningAgent>();
  const keys = new Map<Team, string>();
  /** Opened while no hub is there: until then the agents say nothing of the tasks that are silent. */
  let speak: () => void = () => undefined;
  const spoken = new Promise<void>((resolve) => (speak = resolve));
  const ids = new Map<string, string>();

  const start = () =>
    startHub({
      databaseUrl: `sqlite:${join(directory, 'hub.db')}`,
      config: { server: { drainMs: 100 } },
    });

  async function execute(turn: AgentTurn): Promise<void> {
    const [, kind] = turn.text.split(' ');
    if (kind === 'silent') await spoken;
    turn.task().working();
    await turn.untilCanceled();
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'a2a-hub-organizations-'));
    await copyMigratedSqlite(join(directory, 'hub.db'));
    hub = await start();
    for (const team of TEAMS) keys.set(team, await hub.createKey({ organization: team }));
    await Promise.all(WAYS.map(([binding, version]) => register(binding, version)));
    await Promise.all([...agents.keys()].flatMap((id) => TEAMS.map((team) => begin(id, team))));
    await hub.close();
    speak();
    hub = await start();
    await Promise.all([...agents.keys()].flatMap((id) => TEAMS.map((team) => finish(id, team))));
  }, 60_000);

  afterAll(async () => {
    await hub?.close();
    await Promise.all([...agents.values()].map((agent) => agent.close()));
    await rm(directory, { recursive: true });
  });

  /** One that streams, and the same server as one that is polled. */
  async function register(binding: AgentBinding, version: Version): Promise<void> {
    const agent = await startSdkAgent({ binding, version, hasUsers: true, execute });
    for (const [id, switches] of [
      [idOf(binding, version), {}],
      [`${idOf(binding, version)}-polled`, { streaming: 'off' }],
    ] as const) {
      const credentials = { authorization: USERS.blue };
      await hub.registerAgent(agent.url, { id, credentials, switches });
      agents.set(id, agent);
      const own = { credentials: { authorization: USERS.red } };
      const { status } = await hub.admin('PUT', `/api/v1/agents/${id}/credentials/red`, own);
      expect(status).toBe(201);
    }
  }

  async function submit(id: string, team: Team, kind: Kind): Promise<void> {
    const text = `${team} ${kind}`;
    const task = await hub.submit(text, { tenant: id }, { key: keys.get(team)! });
    ids.set(`${id} ${text}`, task['id'] as string);
  }

  const turns = (id: string, text: string): AgentTurn[] =>
    agents.get(id)!.turns.filter((turn) => turn.text === text);
  const askedFor = (id: string, team: Team): string[] =>
    agents.get(id)!.asked.flatMap((one) => (one.user === USERS[team] ? one.operation : []));
  const silentAt = (id: string, team: Team): string | undefined => ids.get(`${id} ${team} silent`);

  async function begin(id: string, team: Team): Promise<void> {
    const key = keys.get(team)!;
    await submit(id, team, 'slow');
    await hub.waitForTask(ids.get(`${id} ${team} slow`)!, 'TASK_STATE_WORKING', 10_000, { key });
    if (id.endsWith('polled')) return;
    await submit(id, team, 'silent');
    await eventually(() => expect(turns(id, `${team} silent`)).not.toHaveLength(0));
  }

  /** Cancels what goes on, once the agent has been asked for it anew. */
  async function finish(id: string, team: Team): Promise<void> {
    const key = keys.get(team)!;
    const slow = ids.get(`${id} ${team} slow`)!;
    await eventually(() => expect(askedFor(id, team)).toContain('getTask'), 10_000);
    if (id.endsWith('-10')) {
      await eventually(() => expect(askedFor(id, team)).toContain('resubscribe'), 10_000);
    }
    await hub.rpc('CancelTask', { id: slow }, { key });
    const silent = silentAt(id, team);
    if (silent === undefined) return;
    const isKnown = (task: JsonObject): boolean => stateOf(task) !== 'TASK_STATE_SUBMITTED';
    const known = await hub.waitForTask(silent, isKnown, 10_000, { key });
    // An agent of 0.3 cannot say whether it has the message.
    expect(stateOf(known)).toBe(`TASK_STATE_${id.endsWith('-10') ? 'WORKING' : 'FAILED'}`);
    if (id.endsWith('-10')) await hub.rpc('CancelTask', { id: silent }, { key });
  }

  describe.each(WAYS)('%s %s', (binding, version) => {
    const id = idOf(binding, version);

    it.each(TEAMS)('sends, follows, looks for and cancels the tasks of %s', (team) => {
      const always = ['cancelTask', 'getTask', 'sendMessage', 'sendMessageStream'];
      const others = version === '1.0' ? ['listTasks', 'resubscribe'] : [];
      expect(new Set(askedFor(id, team))).toEqual(new Set([...always, ...others]));
      const canceled = agents.get(id)!.turns.filter(({ canceled }) => canceled.signal.aborted);
      const ofTeam = canceled.map(({ text }) => text).filter((text) => text.startsWith(team));
      const silent = version === '1.0' ? [`${team} silent`] : [];
      expect(ofTeam.sort()).toEqual([...silent, `${team} slow`, `${team} slow`]);
    });

    it('with the credentials of each and no others', () => {
      const { asked, turns } = agents.get(id)!;
      expect(new Set(asked.map(({ user }) => user))).toEqual(new Set(Object.values(USERS)));
      for (const { context, text } of turns) {
        const [team] = text.split(' ');
        expect(context.context?.user?.userName).toBe(USERS[team as Team]);
      }
    });
  });
});
