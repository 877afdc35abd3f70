import { expect, it, jest } from '@jest/globals';
import { ModuleLogs } from '../../src/common/module-logs.js';
import type { Database } from '../../src/database/database.js';
import { LogLevels } from '../../src/observability/log-levels.js';
import { createLog } from '../../src/observability/logging.js';
import { SqlLogLevelStore } from '../../src/observability/persistence/sql-log-level.store.js';
import { describeDatabases } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { eventually } from '../support/eventually.js';

describeDatabases('LogLevels', (databases) => {
  function process(database: Database, clock: FakeClock) {
    const lines: string[] = [];
    const log = createLog('warn', { write: (line) => void lines.push(line) });
    const logs = new ModuleLogs(log, 'warn', { agents: 'error' });
    const levels = new LogLevels(logs, new SqlLogLevelStore(database), clock, logs.of('hub'));
    return { lines, logs, levels };
  }

  it('are followed by every process that has the database, and go back when their time is over', async () => {
    const database = await databases.openEmptied();
    const clock = new FakeClock();
    const [one, other] = [process(database, clock), process(database, clock)];
    const push = other.logs.of('push');
    other.levels.onApplicationBootstrap();
    await one.levels.change(new Map([['push', 'debug']]), 60_000);
    push.debug({}, 'unheard');
    await eventually(async () => {
      await clock.advance(1000);
      expect(other.logs.levelOf('push')).toBe('debug');
    });
    push.debug({ a: 1 }, 'seen');
    expect(other.lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ module: 'push', level: 'debug', a: 1, msg: 'seen' }),
    ]);
    expect(other.logs.levelOf('agents')).toBe('error');
    await eventually(async () => {
      await clock.advance(30_000);
      expect(other.logs.levelOf('push')).toBe('warn');
    });
    await other.levels.onModuleDestroy();
  });

  it('go back when their time is over, also when the clock was set back meanwhile', async () => {
    const clock = new FakeClock();
    const { levels, logs } = process(await databases.openEmptied(), clock);
    levels.onApplicationBootstrap();
    await levels.change(new Map([['push', 'debug']]), 60_000);
    const now = clock.now.bind(clock);
    const back = 3600_000;
    jest.spyOn(clock, 'now').mockImplementation(() => new Date(now().getTime() - back));
    await clock.advance(30_000);
    expect(logs.levelOf('push')).toBe('debug');
    await clock.advance(31_000);
    await eventually(async () => {
      await clock.advance(10);
      expect(logs.levelOf('push')).toBe('warn');
    });
    await levels.change(new Map([['push', 'debug']]), 60_000);
    expect(logs.levelOf('push')).toBe('debug');
    await levels.onModuleDestroy();
  });
});
