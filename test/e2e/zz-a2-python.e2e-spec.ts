import { it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { startSdkAgent } from '../support/agents.js';
import { startHub } from '../support/app.js';
it('py', async () => {
  const hub = await startHub();
  const agent = await startSdkAgent({ name: 'echo', execute: async (turn) => {
    if (turn.text === 'reply') { turn.reply('just'); return; }
    turn.task();
    if (turn.text === 'ask') turn.askForInput('Which?');
    else if (turn.text === 'wait') await turn.pause(30000);
    else if (turn.text === 'file') turn.artifactOf('a', turn.message.parts).complete();
    else turn.working('w').artifact('answer', `echo of ${turn.text}`).complete('done');
  }});
  await hub.registerAgent(agent.url, { id: 'echo' });
  const key = await hub.key(); const out = await new Promise((r: any) => execFile(process.env['PYX'] ?? '/tmp/a2venv/bin/python', [process.env['PYS'] ?? '/tmp/a2/client.py', hub.url + '/a2a', key], { timeout: 60000 }, (e, o, er) => r(o + er)));
  console.log(out);
  await hub.close(); await agent.close();
}, 90000);
