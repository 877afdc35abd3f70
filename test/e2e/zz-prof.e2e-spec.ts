import { it } from '@jest/globals';
import { FakeAgent } from '../support/fake-agents.js';
import { HubTasks } from '../support/hub-tasks.js';
import { openDatabase } from '../../src/database/open-database.js';
import inspector from 'node:inspector/promises';
import { writeFileSync } from 'node:fs';
it('prof', async () => {
  const database = await openDatabase({ url: `sqlite:/tmp/prof/h${process.pid}.db`, synchronous: 'full' });
  const hub = await HubTasks.start({ database, agents: [new FakeAgent('a', (turn) => { turn.task(); turn.working(); turn.chunk('x', { last: true }); turn.completed(); }, )] });
  for (let i = 0; i < 500; i++) await hub.send('warm');
  for (const conc of [1, 16, 64]) {
    const n = 3000;
    const s = new inspector.Session(); s.connect(); 
    if (conc === Number(process.env.P ?? 16)) { await s.post('Profiler.enable'); await s.post('Profiler.start'); }
    const c0 = process.cpuUsage(); const t0 = performance.now();
    let left = n;
    await Promise.all(Array.from({ length: conc }, async () => { while (left-- > 0) await hub.send('go'); }));
    const c = process.cpuUsage(c0); const t = performance.now() - t0;
    if (conc === Number(process.env.P ?? 16)) { const { profile } = await s.post('Profiler.stop'); writeFileSync('/tmp/prof/p.cpuprofile', JSON.stringify(profile)); }
    console.log(`user ${(c.user/1000/n).toFixed(3)} sys ${(c.system/1000/n).toFixed(3)} conc ${conc}: ${(n / t * 1000).toFixed(0)}/s cpu ${((c.user + c.system) / 1000 / n).toFixed(3)} ms/send`);
  }
  await hub.runner.stop(); await database.close();
}, 120000);
