import { afterEach, describe, expect, it } from '@jest/globals';
import { Egress, type ResolvedAddress } from './egress.js';
import { ListedReceiverError, readWebhookAllow, WebhookEgress } from './webhook-egress.js';

const open: WebhookEgress[] = [];

function egressOf(entries: readonly string[], names: Record<string, string> = {}): WebhookEgress {
  const resolve = (name: string): Promise<ResolvedAddress[]> =>
    Promise.resolve([{ address: names[name] ?? '192.0.2.1', family: 4 }]);
  const egress = WebhookEgress.of(entries, { resolver: { resolve } });
  open.push(egress);
  return egress;
}

describe('the list of what webhooks may reach', () => {
  afterEach(async () => {
    for (const egress of open.splice(0)) await egress.close();
  });

  it('has entries for everybody and for single organizations, whose names may hold anything', () => {
    expect(
      readWebhookAllow(['10.0.0.0/8', ' acme = hooks.internal:8080 ', 'a=b=::1', 'acme=10.1.2.3']),
    ).toEqual({
      everybody: ['10.0.0.0/8'],
      organizations: new Map([
        ['acme', ['hooks.internal:8080', '10.1.2.3']],
        ['a=b', ['::1']],
      ]),
    });
  });

  it('names the setting and the entry that is wrong', () => {
    expect(() => egressOf(['acme=a b'])).toThrow('push.allow: "a b"');
    expect(() => egressOf(['=10.0.0.0/8'])).toThrow('push.allow: an entry names no organization');
  });

  it('opens to an organization what is for everybody and what is its own, and nothing to others', async () => {
    const egress = egressOf(['10.1.0.0/16', 'acme=10.2.0.0/16']);
    const check = (organization: string, host: string) =>
      egress.check(organization, `http://${host}/hook`);
    expect(await check('acme', '10.1.0.1')).toEqual({ verified: true });
    expect(await check('acme', '10.2.0.1')).toEqual({ verified: true });
    expect(await check('other', '10.1.0.1')).toEqual({ verified: true });
    await expect(check('other', '10.2.0.1')).rejects.toThrow('it is a private address');
    await expect(check('acme', '10.3.0.1')).rejects.toThrow('it is a private address');
  });

  it('keeps ports that operators opened for other calls closed', async () => {
    const egress = WebhookEgress.of([], { openPorts: [6379] });
    open.push(egress);
    await expect(egress.check('acme', 'https://8.8.8.8:6379/')).rejects.toThrow('port 6379');
  });

  it('refuses at the connection, too, what a name has come to mean', async () => {
    const names = { 'hooks.example': '8.8.8.8' };
    const egress = egressOf(['acme=10.2.0.0/16'], names);
    expect(await egress.check('other', 'https://hooks.example/')).toEqual({ verified: true });
    names['hooks.example'] = '10.2.0.1';
    const request = (organization: string) =>
      egress.request(organization, 'https://hooks.example/', {
        method: 'POST',
        connectTimeoutMs: 50,
      });
    await expect(request('other')).rejects.toThrow('it is a private address');
    await expect(request('acme')).rejects.toBeInstanceOf(ListedReceiverError);
  });

  it('passes on what went wrong at a receiver that needs no list', async () => {
    const open = new Egress({ allow: ['127.0.0.1'] });
    const egress = new WebhookEgress(open);
    const failed = egress.request('acme', 'http://127.0.0.1:9/', { method: 'POST' });
    await expect(failed).rejects.not.toBeInstanceOf(ListedReceiverError);
    await egress.close();
  });
});
