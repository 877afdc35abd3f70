import { Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { NestLog, createLog } from './logging.js';

let lines: string[];
const sink = new Writable({
  write(chunk: Buffer, _encoding, done): void {
    lines.push(chunk.toString());
    done();
  },
});

beforeEach(() => {
  lines = [];
});

const last = (): Record<string, unknown> => JSON.parse(lines.at(-1)!) as Record<string, unknown>;

describe('the log', () => {
  it('writes one JSON line with level and time as words', () => {
    createLog('info', sink).info({ taskId: 't' }, 'done');
    expect(last()).toMatchObject({ level: 'info', taskId: 't', msg: 'done' });
    expect(last()['time']).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it('replaces credentials wherever they are', () => {
    const log = createLog('info', sink);
    const headers = { authorization: 'Bearer s3cret', 'x-api-key': 's3cret', accept: 'x' };
    log.info({ headers, request: { headers }, config: { token: 's3cret' } }, 'request');
    log.info({ authorization: 's3cret', key: 's3cret', credentials: ['s3cret'] }, 'request');
    expect(lines.join('')).not.toContain('s3cret');
    expect(lines[0]).toContain('"accept":"x"');
  });

  it('leaves out what is below its level', () => {
    createLog('warn', sink).info({}, 'not written');
    expect(lines).toEqual([]);
  });

  it('takes the messages of Nest, its news of the start for debugging only', () => {
    const log = new NestLog(createLog('info', sink));
    log.log('Mapped {/x, GET} route', 'RouterExplorer');
    expect(lines).toEqual([]);
    log.warn('careful', 'Context');
    expect(last()).toMatchObject({ level: 'warn', context: 'Context', msg: 'careful' });
    log.error(new TypeError('broken'), 'the stack', 'Context');
    expect(last()).toMatchObject({ level: 'error', msg: 'broken', stack: 'the stack' });
  });

  it('leaves a failed start to who started', () => {
    const log = new NestLog(createLog('info', sink));
    log.error(new Error('broken'), 'ExceptionHandler');
    log.error('Error: listen EADDRINUSE', 'NestApplication');
    expect(lines).toEqual([]);
  });
});
