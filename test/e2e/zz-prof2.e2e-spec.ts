import { it } from '@jest/globals';
import { FakeAgent } from '../support/fake-agents.js';
import { HubTasks } from '../support/hub-tasks.js';
it('counts', async () => {
  const hub = await HubTasks.start({ agents: [new FakeAgent('a', (turn) => { turn.task(); turn.working(); turn.chunk('x', { last: true }); turn.completed(); })] });
  await hub.send('warm');
  const db = hub.database as any;
  const ex = db.execute.bind(db); const out: string[] = [];
  db.execute = (s: any) => { out.push(s.sql.replace(/\s+/g, ' ').slice(0, 110)); return ex(s); };
  const q = db.query.bind(db); db.query = (sql: string, p: any) => { out.push('READ ' + sql.replace(/\s+/g, ' ').slice(0, 110)); return q(sql, p); };
  await hub.send('go');
  console.log(out.join('\n'));
  await hub.runner.stop();
});
