import type { Clock } from '../../common/clock.js';
import type { Egress } from '../../common/egress/egress.js';
import type { AppConfig } from '../../config/index.js';
import { VaultSource } from './vault-source.js';
import { type VaultLogin, VaultTokens } from './vault-tokens.js';
import { VaultWire } from './vault-wire.js';

/** What speaks to one Vault. */
export interface VaultParts {
  readonly source: VaultSource;
  readonly tokens: VaultTokens;
}

/** The Vault of the settings; undefined when there is none. */
export function vaultOf(
  { vault, refreshMs }: AppConfig['secrets'],
  egress: Pick<Egress, 'fetchWith'>,
  clock: Clock,
): VaultParts | undefined {
  const { address, namespace, caCertificate, timeoutMs, mount } = vault;
  if (address === null) return undefined;
  const ca = caCertificate?.text ?? null;
  const wire = new VaultWire(egress, { address, namespace, caCertificate: ca, timeoutMs });
  const tokens = new VaultTokens(loginOf(vault.auth), wire, clock);
  return { tokens, source: new VaultSource(refreshMs, mount, wire, tokens) };
}

function loginOf(auth: AppConfig['secrets']['vault']['auth']): VaultLogin {
  const { method, token, tokenFile, role, jwtFile, roleId, secretId, secretIdFile } = auth;
  const mount = auth.mount ?? method;
  if (method === 'token') return { method, token, tokenFile };
  // That these are set is checked with the settings.
  if (method === 'kubernetes') return { method, mount, jwtFile, role: role ?? '' };
  return { method, mount, secretId, secretIdFile, roleId: roleId ?? '' };
}
