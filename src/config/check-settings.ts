import { Networks } from '../common/networks.js';
import type { ConfigProblem } from './config-error.js';
import { egressFault, trustedHostsFault, webhookAllowFault } from './egress-faults.js';
import type { Settings } from './settings.js';
import { vaultFaults } from './vault-faults.js';
import { tlsFaults } from './tls-faults.js';

/** What must hold between settings; `sourceOf` names where a key was set. */
export function checkSettings(
  settings: Settings,
  sourceOf: (key: string) => string,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const refuse = (key: string, text: string): void => {
    problems.push({ key, source: sourceOf(key), text });
  };
  const { server, auth, publicUrl, role, database, card, agents, grpc, signing } = settings;
  const loopback = isLoopback(server.host);

  if (auth.mode === 'none' && !loopback && !auth.allowOpen) {
    refuse(
      'auth.mode',
      `none needs a loopback server.host (it is ${server.host}) or auth.allowOpen`,
    );
  }
  if (publicUrl === null && !loopback) {
    refuse(
      'publicUrl',
      `is needed when server.host is not loopback (it is ${server.host}): set it here or by A2A_HUB__PUBLIC_URL`,
    );
  }
  if (settings.console.signIn.length > 0 && publicUrl !== null && !isPrivate(publicUrl)) {
    refuse('console.signIn', 'needs a publicUrl with https, or on loopback: sessions are cookies');
  }
  if (role !== 'all' && database.url.startsWith('sqlite:')) {
    refuse('role', `${role} needs PostgreSQL (database.url); SQLite allows one process, role all`);
  }
  if ((card.provider.organization === null) !== (card.provider.url === null)) {
    refuse('card.provider', 'organization and url are set together or not at all');
  }
  for (const fault of vaultFaults(settings.secrets)) refuse(fault.key, fault.text);
  for (const fault of tlsFaults(settings)) refuse(fault.key, fault.text);
  const wrongProxy = Networks.faultOf(settings.server.trustedProxies);
  if (wrongProxy !== undefined) refuse('server.trustedProxies', wrongProxy);
  if (grpc.port > 0 && grpc.port === server.port) {
    refuse('grpc.port', `is the same as server.port (${server.port}); gRPC needs one of its own`);
  }
  if (grpc.publicUrl !== null && new URL(grpc.publicUrl).pathname !== '/') {
    refuse('grpc.publicUrl', 'has a path, which gRPC cannot use');
  }
  if (signing.overlapMs > signing.rotateEveryMs / 2) {
    refuse('signing.overlap', 'is longer than half of signing.rotateEvery');
  }
  if ((settings.routing.external.url === null) !== (settings.routing.external.token === null)) {
    refuse('routing.external.token', 'and routing.external.url are set together or not at all');
  }
  if (agents.pollMinMs > agents.pollMaxMs) {
    refuse('agents.pollMin', 'is longer than agents.pollMax');
  }
  if (agents.health.openMinMs > agents.health.openMaxMs) {
    refuse('agents.health.openMin', 'is longer than agents.health.openMax');
  }
  for (const fault of [
    egressFault(settings.egress),
    webhookAllowFault(settings.push.allow),
    trustedHostsFault(settings.push.trustedHosts),
  ]) {
    if (fault !== undefined) refuse(fault.key, fault.text);
  }
  return problems;
}

/** Whether nobody between can read what is sent there. */
function isPrivate(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
}

/** True for a name or address that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
