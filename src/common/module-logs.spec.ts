import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { LOG_MODULES, ModuleLogs } from './module-logs.js';
import { createLog } from '../observability/logging.js';

const SRC = new URL('../', import.meta.url);

describe('the modules of the log', () => {
  it('are the folders of the modules of the hub, and each gives its log its name', () => {
    const folders = readdirSync(SRC, { withFileTypes: true }).filter((each) => each.isDirectory());
    const found = folders.flatMap(({ name }) => {
      const files = readdirSync(new URL(`${name}/`, SRC)).filter((file) =>
        file.endsWith('.module.ts'),
      );
      // A module of names or numbers alone, beside that of the folder, writes nothing.
      const texts = files.map((file) => readFileSync(new URL(`${name}/${file}`, SRC), 'utf8'));
      const isNamed = texts.some((text) => text.includes(`logOf('${name}')`));
      expect([name, isNamed]).toEqual([name, files.length > 0]);
      return files.length > 0 ? [name] : [];
    });
    expect([...found, 'hub'].sort()).toEqual([...LOG_MODULES]);
  });

  it('have levels of their own, of what is written already and later', () => {
    const lines: string[] = [];
    const log = createLog('warn', { write: (line) => void lines.push(line) });
    const logs = new ModuleLogs(log, 'warn', { agents: 'debug' });
    const [push, agents, plain] = [logs.of('push'), logs.of('agents'), logs.plain('push')];
    push.info({}, 'no');
    agents.debug({}, 'yes');
    logs.setLevel('push', 'info');
    push.info({}, 'yes');
    plain.info({}, 'yes');
    logs.of('push').info({}, 'yes');
    logs.setLevel('push', 'warn');
    plain.info({}, 'no');
    log.info({}, 'no');
    logs.setLevel('hub', 'info');
    log.info({}, 'yes');
    const written = lines.map((line) => JSON.parse(line) as { msg: string; module?: string });
    expect(written.map(({ msg, module }) => [msg, module])).toEqual([
      ['yes', 'agents'],
      ['yes', 'push'],
      ['yes', 'push'],
      ['yes', 'push'],
      ['yes', undefined],
    ]);
  });

  it('keep the redaction of credentials', () => {
    const lines: string[] = [];
    const logs = new ModuleLogs(
      createLog('info', { write: (line) => void lines.push(line) }),
      'info',
      {},
    );
    logs.of('push').info({ headers: { authorization: 'Bearer abc' } }, 'sent');
    expect(lines.join('')).not.toContain('abc');
  });
});
