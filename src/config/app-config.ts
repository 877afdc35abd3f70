import { HUB_VERSION } from './package-info.js';
import type { Settings } from './settings.js';

/**
 * The hub's configuration: plain values, checked and frozen. It is made by `loadConfig` and injected
 * under this class. Each member is declared and described in `settings.ts`.
 */
export class AppConfig {
  readonly server: Settings['server'];
  readonly grpc: Settings['grpc'];
  /** Null: computed from the listening address. */
  readonly publicUrl: string | null;
  readonly role: Settings['role'];
  readonly database: Settings['database'];
  readonly secrets: Settings['secrets'];
  readonly auth: Settings['auth'];
  readonly audit: Settings['audit'];
  readonly console: Settings['console'];
  readonly egress: Settings['egress'];
  readonly routing: Settings['routing'];
  readonly compositeSkills: Settings['compositeSkills'];
  readonly policies: Settings['policies'];
  readonly rules: Settings['rules'];
  readonly subscriptions: Settings['subscriptions'];
  readonly card: {
    readonly name: string;
    readonly description: string;
    readonly version: string;
    readonly provider: { readonly organization: string; readonly url: string } | null;
    readonly sign: boolean;
    readonly grpcUrl: Settings['card']['grpcUrl'];
  };
  readonly signing: Settings['signing'];
  readonly tasks: Settings['tasks'];
  readonly quotas: Settings['quotas'];
  readonly limits: Settings['limits'];
  readonly agents: Settings['agents'];
  readonly push: Settings['push'];
  readonly log: Settings['log'];
  readonly telemetry: Settings['telemetry'];
  readonly activity: Settings['activity'];

  constructor(settings: Settings) {
    const { organization, url } = settings.card.provider;
    this.server = settings.server;
    this.grpc = settings.grpc;
    this.publicUrl = settings.publicUrl;
    this.role = settings.role;
    this.database = settings.database;
    this.secrets = settings.secrets;
    this.auth = settings.auth;
    this.audit = settings.audit;
    this.console = settings.console;
    this.egress = settings.egress;
    this.routing = settings.routing;
    this.compositeSkills = settings.compositeSkills;
    this.policies = settings.policies;
    this.rules = settings.rules;
    this.subscriptions = settings.subscriptions;
    this.card = {
      ...settings.card,
      version: settings.card.version ?? HUB_VERSION,
      provider: organization !== null && url !== null ? { organization, url } : null,
    };
    this.signing = settings.signing;
    this.tasks = settings.tasks;
    this.quotas = settings.quotas;
    this.limits = settings.limits;
    this.agents = settings.agents;
    this.push = settings.push;
    this.log = settings.log;
    this.telemetry = settings.telemetry;
    this.activity = settings.activity;
    deepFreeze(this);
  }
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
}
