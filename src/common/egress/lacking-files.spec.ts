import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Egress } from './egress.js';

describe('a request while the process has no file descriptor left', () => {
  it('waits for one, and tells when it is on its way', async () => {
    const server = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const story: string[] = [];
    let lacking = 2;
    const egress = new Egress({
      allow: ['files.test'],
      resolver: {
        resolve: () => {
          if (lacking-- <= 0) return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
          story.push('none');
          return Promise.reject(Object.assign(new Error('none left'), { code: 'EMFILE' }));
        },
      },
    });
    const answer = egress.request(`http://files.test:${port}/`, {
      method: 'GET',
      onSent: () => void story.push(`sent, lacks: ${egress.lacksFiles}`),
    });
    const { statusCode, body } = await answer;
    expect([statusCode, await body.text()]).toEqual([200, 'ok']);
    expect(story).toEqual(['none', 'none', 'sent, lacks: false']);
    await egress.close();
    server.close();
  });

  it('fails at once for any other reason, and was not sent', async () => {
    let sent = false;
    const egress = new Egress({
      allow: ['files.test'],
      resolver: {
        resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
      },
    });
    const options = { method: 'GET', onSent: () => void (sent = true) } as const;
    await expect(egress.request('http://files.test/', options)).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
    expect(sent).toBe(false);
    await egress.close();
  });
});
