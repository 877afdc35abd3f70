import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { createApp } from '../../src/bootstrap.js';
import { Log } from '../../src/common/logger.js';
import { ProcessConfigSource } from '../../src/config/index.js';
import { ADMIN_KEY, Hub } from './app.js';
import type { JsonObject } from './json.js';

/** A configuration file in a folder of its own, and hubs that follow it, one after another on one database. */
export class FileHub {
  private readonly folder = mkdtempSync(join(tmpdir(), 'a2a-hub-file-'));
  private readonly file = join(this.folder, 'hub.yaml');
  /** What the hubs logged as errors. */
  readonly errors: JsonObject[] = [];

  constructor(private readonly environment: Record<string, string> = {}) {}

  /** Puts this into the file. */
  write(content: object): void {
    writeFileSync(this.file, stringify(content));
  }

  async start(): Promise<Hub> {
    const config = new ProcessConfigSource({
      A2A_HUB_CONFIG: this.file,
      A2A_HUB__SERVER__PORT: '0',
      A2A_HUB__DATABASE__URL: `sqlite:${join(this.folder, 'hub.db')}`,
      A2A_HUB__DATABASE__SYNCHRONOUS: 'normal',
      A2A_HUB__AUTH__ADMIN_KEY: ADMIN_KEY,
      A2A_HUB__EGRESS__ALLOW: '127.0.0.0/8',
      A2A_HUB__PUSH__ALLOW: '127.0.0.0/8',
      A2A_HUB__PUSH__SHOW_ALLOWED_ANSWERS: 'true',
      A2A_HUB__LOG__LEVEL: 'silent',
      ...this.environment,
    });
    const quiet = (): void => undefined;
    const error = (fields: object): void => void this.errors.push(fields);
    const log: Log = { debug: quiet, info: quiet, warn: quiet, error };
    const app = await createApp({ config, providers: [{ provide: Log, useValue: log }] });
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    return new Hub(`http://127.0.0.1:${port}`, app, '', undefined);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
