import { X509Certificate, createPrivateKey } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApp } from '../../src/bootstrap.js';
import {
  type ConfigOverrides,
  ListenerTls,
  PublicUrl,
  loadConfig,
} from '../../src/config/index.js';
import { startHub, testConfig } from '../support/app.js';
import { type Issued, TestAuthority } from '../support/authority.js';
import { eventually } from '../support/eventually.js';
import { failureOf, GrpcClient, grpcTarget, V1 } from '../support/grpc-client.js';
import { LogLines } from '../support/log-lines.js';
import { pem } from '../support/pem.js';
import { selfSigned } from '../support/self-signed.js';

const UNKNOWN = { tenant: '', id: 'unknown', historyLength: undefined };
let authority: TestAuthority;
let folder: string;

beforeAll(async () => {
  authority = await TestAuthority.make();
  folder = await mkdtemp(join(tmpdir(), 'a2a-hub-tls-'));
});

afterAll(() => rm(folder, { recursive: true }));

const server = (): Promise<Issued> => authority.issue('server', ['127.0.0.1']);

function tlsOf({ certificate, key }: Issued): ConfigOverrides {
  return { server: { tls: { certificate: pem(certificate), key: pem(key) } } };
}

/** Puts a text in the place of a file, as a whole. */
async function put(name: string, text: string): Promise<void> {
  await writeFile(join(folder, `${name}.new`), text);
  await rename(join(folder, `${name}.new`), join(folder, name));
}

async function inFile(name: string, text: string): Promise<{ text: string; file: string }> {
  await put(name, text);
  return { text: text.trim(), file: join(folder, name) };
}

/** The fingerprint of the certificate that a server shows on a connection; the agent may have one open. */
function shown(url: string, agent: Agent | false = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { agent, rejectUnauthorized: false };
    const call = request(`${url}/health/ready`, options, (response) => {
      const peer = (response.socket as TLSSocket).getPeerCertificate();
      response.resume().on('end', () => resolve(peer.fingerprint256));
    });
    call.on('error', reject).end();
  });
}

const fingerprintOf = ({ certificate }: Issued): string =>
  new X509Certificate(certificate).fingerprint256;

describe('the HTTP server with TLS of its own', () => {
  it('is reached by https alone, and says so', async () => {
    const hub = await startHub({ config: tlsOf(await server()) });
    const { port } = new URL(hub.url);
    expect(hub.app.get(PublicUrl).base).toBe(`https://127.0.0.1:${port}`);
    const card = await hub.get('/.well-known/agent-card.json', { key: null });
    expect(card.status).toBe(200);
    expect(card.body.supportedInterfaces[0].url).toMatch(`https://127.0.0.1:${port}/`);
    expect(await hub.rpc('ListTasks', {})).toMatchObject({ tasks: [] });
    await expect(fetch(`http://127.0.0.1:${port}/health/ready`)).rejects.toThrow();
    await hub.close();
  });

  it('speaks TLS from 1.2 on', async () => {
    const hub = await startHub({ config: tlsOf(await server()) });
    const version = (maxVersion: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'): Promise<string | null> =>
      new Promise((resolve, reject) => {
        const options = { minVersion: 'TLSv1', maxVersion, rejectUnauthorized: false } as const;
        const socket = connect({
          host: '127.0.0.1',
          port: Number(new URL(hub.url).port),
          ...options,
        });
        socket.once('secureConnect', () => resolve(socket.getProtocol())).once('error', reject);
        socket.once('secureConnect', () => socket.destroy());
      });
    expect(await version('TLSv1.2')).toBe('TLSv1.2');
    expect(await version('TLSv1.3')).toBe('TLSv1.3');
    await expect(version('TLSv1.1')).rejects.toThrow();
    await hub.close();
  });
});

describe('certificates that cannot be used', () => {
  const problem = async (config: ConfigOverrides): Promise<string> => {
    const started = createApp({ config: testConfig('sqlite::memory:', config) });
    return started.then(
      async (app) => app.close().then(() => 'started'),
      (error: Error) => error.message,
    );
  };

  it.each([
    ['has expired', [-2, -1] as const, 'server.tls.certificate (file): has expired ('],
    ['counts later', [1, 2] as const, 'server.tls.certificate (file): is not valid before'],
  ])('stop the start when one %s', async (_case, days, text) => {
    const issued = await authority.issue('server', ['127.0.0.1'], { days });
    expect(await problem(tlsOf(issued))).toContain(text);
    const grpc = { tlsCertificate: pem(issued.certificate), tlsKey: pem(issued.key) };
    expect(await problem({ grpc })).toContain(text.replace('server.tls.c', 'grpc.tlsC'));
  });

  it('stop the start when the key is of another, or no key', async () => {
    const [one, other] = await Promise.all([server(), server()]);
    const mixed = { certificate: one.certificate, key: other.key };
    expect(await problem(tlsOf(mixed))).toContain('does not fit the key');
    const locked = createPrivateKey(one.key)
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
      .toString();
    const text = await problem(tlsOf({ certificate: one.certificate, key: locked }));
    expect(text).toContain('server.tls.key');
    expect(text).toContain('without a passphrase');
    expect(text).not.toContain('BEGIN');
    expect(await problem(tlsOf({ certificate: 'nonsense', key: one.key }))).toContain(
      'server.tls.certificate (override): holds no certificate',
    );
    const alone = { server: { tls: { certificate: pem(one.certificate) } } };
    expect(await problem(alone)).toContain('server.tls.key (override): is missing');
  });

  it('stop the start when a file is not there, or authorities are for nobody', async () => {
    expect(() => loadConfig({ A2A_HUB__SERVER__TLS__KEY: 'file:/not/there.pem' })).toThrow(
      'server.tls.key (A2A_HUB__SERVER__TLS__KEY): the file /not/there.pem cannot be read (ENOENT)',
    );
    const { certificate, key } = await server();
    const clientCa = pem(authority.certificate);
    const tls = { certificate: pem(certificate), key: pem(key), clientCa };
    expect(await problem({ server: { tls } })).toContain('lets no caller in');
    const entry = { name: 'a', organization: 'o', scopes: ['a2a'], subject: 'CN=a' } as const;
    const auth = { certificates: [entry] };
    expect(await problem({ auth })).toContain('needs the authorities of these certificates');
    expect(await problem({ auth, server: { tls: { clientCa } } })).toContain('needs TLS');
    expect(await problem({ auth, server: { tls: { ...tls, clientCa: pem('x') } } })).toContain(
      'server.tls.clientCa (override): holds no certificate',
    );
    const old = await TestAuthority.make('Old', { days: [-2, -1] });
    const ended = { ...tls, clientCa: pem(old.certificate) };
    expect(await problem({ auth, server: { tls: ended } })).toContain('no authority that is valid');
    for (const proxy of ['proxy.internal', '10.0.0.0/33', '0.0.0.0/0']) {
      const withProxy = { ...auth, certificateProxies: [proxy] };
      expect(await problem({ auth: withProxy, server: { tls } })).toContain(`"${proxy}" is`);
    }
  });
});

describe('files of certificates that change', () => {
  it('are in force for new connections, over HTTP and gRPC; open ones go on', async () => {
    const [before, after] = await Promise.all([server(), server()]);
    const certificate = await inFile('cert.pem', before.certificate);
    const key = await inFile('key.pem', before.key);
    const logged = new LogLines();
    const hub = await startHub({
      config: {
        server: { tls: { certificate, key } },
        grpc: { port: -1, tlsCertificate: certificate, tlsKey: key },
      },
      providers: logged.providers,
    });
    const trusting = credentials.createSsl(Buffer.from(authority.certificate));
    const open = await GrpcClient.of(hub, { credentials: trusting });
    const answer = async (client: GrpcClient): Promise<string> =>
      (await failureOf(client.call(V1.getTask, UNKNOWN))).code;
    expect(await answer(open)).toBe('NOT_FOUND');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await shown(hub.url, agent)).toBe(fingerprintOf(before));

    // The pair is not written at once: meanwhile the one before stays.
    await put('cert.pem', after.certificate);
    const { http, grpc } = hub.app.get(ListenerTls);
    const look = async (): Promise<void> => {
      for (const each of [http, grpc, http, grpc]) await each.look(new Date());
    };
    await look();
    expect(await shown(hub.url)).toBe(fingerprintOf(before));
    await put('key.pem', after.key);
    await look();
    expect(await shown(hub.url)).toBe(fingerprintOf(after));
    expect(await shown(hub.url, agent)).toBe(fingerprintOf(before));
    expect(await answer(open)).toBe('NOT_FOUND');
    expect(await peerAt(grpcTarget(hub))).toBe(fingerprintOf(after));
    const fresh = await GrpcClient.of(hub, { credentials: trusting });
    expect(await answer(fresh)).toBe('NOT_FOUND');
    const texts = logged.entries.map(({ message }) => message);
    expect(texts).toContain('new certificates are in force for new connections');
    expect(JSON.stringify(logged.entries)).not.toContain('PRIVATE KEY');
    for (const each of [open, fresh]) each.close();
    agent.destroy();
    await hub.close();
  });

  it('are kept as they were, and told of once, while they cannot be used', async () => {
    const before = await server();
    const certificate = await inFile('kept-cert.pem', before.certificate);
    const key = await inFile('kept-key.pem', before.key);
    const logged = new LogLines();
    const hub = await startHub({
      config: { server: { tls: { certificate, key } } },
      providers: logged.providers,
    });
    const { http } = hub.app.get(ListenerTls);
    const text = 'the changed files of TLS cannot be used; those before stay in force';
    const expired = await authority.issue('server', [], { days: [-2, -1] });
    const faults: [string, string][] = [
      ['', 'server.tls.certificate holds no certificate'],
      ['half of a file', 'server.tls.certificate holds no certificate'],
      [selfSigned().certificate, 'server.tls.certificate does not fit the key'],
      [expired.certificate, 'server.tls.certificate does not fit the key'],
    ];
    for (const [written, problem] of faults) {
      const told = logged.of(text).length;
      await put('kept-cert.pem', written);
      for (let looks = 0; looks < 4; looks += 1) await http.look(new Date());
      if (logged.of(text).length > told) {
        expect(logged.of(text).at(-1)!['problem']).toContain(problem);
      }
      expect(await shown(hub.url)).toBe(fingerprintOf(before));
    }
    await rm(join(folder, 'kept-cert.pem'));
    for (let looks = 0; looks < 4; looks += 1) await http.look(new Date());
    const problems = logged.of(text, 'error').map(({ problem }) => problem);
    expect(problems).toEqual([
      expect.stringContaining('holds no certificate'),
      expect.stringContaining('does not fit the key'),
      expect.stringContaining('cannot be read (ENOENT)'),
    ]);
    expect(await shown(hub.url)).toBe(fingerprintOf(before));
    await hub.close();
  });

  it('are noticed by the hub itself within seconds', async () => {
    const [before, after] = await Promise.all([server(), server()]);
    const certificate = await inFile('own-cert.pem', before.certificate);
    const key = await inFile('own-key.pem', before.key);
    const hub = await startHub({ config: { server: { tls: { certificate, key } } } });
    await put('own-key.pem', after.key);
    await put('own-cert.pem', after.certificate);
    await eventually(async () => expect(await shown(hub.url)).toBe(fingerprintOf(after)), 15_000);
    await hub.close();
  });
});

/** The fingerprint of what a gRPC server shows. */
function peerAt(target: string): Promise<string> {
  const [host, port] = target.split(':');
  return new Promise((resolve, reject) => {
    const options = { ALPNProtocols: ['h2'], rejectUnauthorized: false };
    const socket = connect({ host: host!, port: Number(port), ...options });
    socket.once('error', reject).once('secureConnect', () => {
      resolve(socket.getPeerX509Certificate()!.fingerprint256);
      socket.destroy();
    });
  });
}
