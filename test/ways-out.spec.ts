import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isKnownPackage, waysOut } from './support/ways-out.js';

const PROJECT = join(import.meta.dirname, '..');

describe('ways out of the hub', () => {
  it('are in src/common/egress and nowhere else', async () => {
    const root = join(PROJECT, 'src');
    const files = (await readdir(root, { recursive: true })).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'),
    );
    expect(files.length).toBeGreaterThan(200);
    const connecting: Record<string, string[]> = {};
    const sources = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
    sources.forEach((source, index) => {
      const found = waysOut(source);
      if (found.length > 0) connecting[files[index]!] = found;
    });
    // It loads one package by its name, which connects to nothing.
    expect(connecting['database/better-sqlite3.ts']).toHaveLength(1);
    delete connecting['database/better-sqlite3.ts'];
    // The engine of policies is found by its name, and the file of it that is loaded is beside that.
    expect(connecting['policies/cedar.ts']).toEqual(['loads ?', 'loads ?']);
    delete connecting['policies/cedar.ts'];
    // It loads the SDK of AWS when a reference names AWS, and gives it the hub's way out for its requests. Where that SDK
    // looks for credentials by itself, it asks past the guard (docs/egress.md).
    expect(connecting['secrets/references/aws-source.ts']).toEqual(['loads ?']);
    delete connecting['secrets/references/aws-source.ts'];
    expect(Object.keys(connecting).sort()).toEqual([
      'common/egress/egress-proxy.ts',
      'common/egress/guarded-channel.ts',
      'common/egress/guarded-connector.ts',
      'common/egress/pools.ts',
      'common/egress/resolver.ts',
    ]);
  });

  it('have been looked for in every package the hub is made of', async () => {
    const text = await readFile(join(PROJECT, 'package.json'), 'utf8');
    const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
    const unknown = Object.keys(dependencies).filter((name) => !isKnownPackage(name));
    // A new one: see what it connects to, and add it to a table of test/support/ways-out.ts.
    expect(unknown).toEqual([]);
  });

  it.each([
    `import { request } from 'undici';`,
    `import undici from 'undici';`,
    `import 'x'; import * as http from 'node:http';`,
    `import http from 'http';`,
    `import { get as read } from 'https';`,
    `import { type Server, Agent } from 'node:http';`,
    `import { connect } from 'node:http2';`,
    `import { createConnection } from 'net';`,
    `import { Socket } from 'node:net';`,
    `import { connect } from 'node:tls';`,
    `import { createSocket } from 'node:dgram';`,
    `import { lookup } from 'node:dns';`,
    `import { Resolver } from 'node:dns/promises';`,
    `import { execFile } from 'node:child_process';`,
    `import { Client } from '@grpc/grpc-js';`,
    `import { createRemoteJWKSet } from 'jose';`,
    `import { ClientFactory } from '@a2a-js/sdk/client';`,
    `import { clientCredentialsGrantRequest } from 'oauth4webapi';`,
    `import { JsonRpcTransport } from '@a2a-js/sdk/client';`,
    `export { request } from 'node:http';`,
    `export * from 'undici';`,
    `const { request } = await import('undici');`,
    `const http = require('node:http');`,
    `const load = createRequire(import.meta.url);`,
    `const name = 'undici'; await import(name);`,
    `process.getBuiltinModule('node:net').connect(1);`,
    `await fetch('https://example.com');`,
    `await globalThis.fetch('https://example.com');`,
    `const options = { fetch };`,
    `const options = { customFetch: fetch };`,
    `call(fetch);`,
    `new WebSocket('wss://example.com');`,
    `new EventSource('https://example.com');`,
  ])('are seen in %s', (source) => {
    expect(waysOut(source)).toHaveLength(1);
  });

  it.each([
    `import type { Dispatcher } from 'undici';`,
    `import { type Dispatcher } from 'undici';`,
    `import { createServer, STATUS_CODES, type Agent } from 'node:http';`,
    `import { isIP, type Socket } from 'node:net';`,
    `import { createSecureContext } from 'node:tls';`,
    `import { status, type Client } from '@grpc/grpc-js';`,
    `import { SignJWT } from 'jose';`,
    `import * as oauth from 'oauth4webapi'; call({ [oauth.customFetch]: egress.fetch });`,
    `export type { Pool } from 'undici';`,
    `await import('./settings.js');`,
    `await this.egress.fetch('https://example.com');`,
    `class A { constructor(private readonly fetch: typeof globalThis.fetch) {} }`,
    `const options = { fetch: egress.fetch };`,
    `import { EventSource } from './event-source.js'; new EventSource(reply);`,
    `class WebSocket {} new WebSocket();`,
    `// fetch('https://example.com')`,
    `const text = "import { request } from 'undici'";`,
  ])('are not seen in %s', (source) => {
    expect(waysOut(source)).toEqual([]);
  });
});
