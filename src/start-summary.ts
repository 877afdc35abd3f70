import { databaseLocation } from './common/database-url.js';
import type { AppConfig } from './config/index.js';

/** What is found out when the hub has started, beside its configuration. */
export interface StartedHub {
  readonly version: string;
  readonly listening: string;
  /** Where clients reach it. */
  readonly publicUrl: string;
  readonly grpc: string | undefined;
  readonly agents: { readonly known: number; readonly disabled: number };
}

/** What an operator looks for at a start, by its name; no secrets, and no address with a password. */
export function startSummary(config: AppConfig, hub: StartedHub): Readonly<Record<string, string>> {
  const { auth, database, egress, log, push, role, server } = config;
  const { known, disabled } = hub.agents;
  return {
    hub: `A2A Hub ${hub.version}, role ${role}, Node ${process.versions.node}, process ${process.pid}`,
    address:
      hub.publicUrl === hub.listening ? hub.listening : `${hub.publicUrl} (${hub.listening})`,
    grpc: hub.grpc ?? 'off (grpc.port)',
    database: databaseLocation(database.url),
    callers: auth.mode === 'none' ? 'anybody, without a key (auth.mode: none)' : credentials(auth),
    agents: `${known} registered${disabled > 0 ? `, ${disabled} disabled` : ''}`,
    agentsAt: `public addresses${alsoAt(egress.allow)}${egress.proxy === null ? '' : ', through a proxy'}`,
    webhooksAt: `public addresses${alsoAt(push.allow)}`,
    browsers: server.corsOrigins.length > 0 ? server.corsOrigins.join(', ') : 'own pages only',
    log: `${log.level}${log.requests ? ', a line for each request' : ''}`,
    ...(role === 'worker'
      ? { docs: 'none: this process serves no clients' }
      : { console: `${hub.publicUrl}/console`, docs: `${hub.publicUrl}/docs` }),
  };
}

/** The summary as lines for a terminal. */
export function summaryLines(summary: Readonly<Record<string, string>>): string {
  return Object.entries(summary)
    .map(([name, text]) => `  ${name.padEnd(11)} ${text}\n`)
    .join('');
}

function credentials({ issuers, certificates }: AppConfig['auth']): string {
  const others = [
    ...(issuers.length > 0 ? ['an access token'] : []),
    ...(certificates.length > 0 ? ['a client certificate'] : []),
  ];
  return `with ${['an API key', ...others].join(' or ')}`;
}

function alsoAt(allow: readonly string[]): string {
  return allow.length === 0 ? '' : ` and ${allow.join(', ')}`;
}
