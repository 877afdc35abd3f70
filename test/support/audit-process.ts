import { AnchorCheck } from '../../src/audit/anchor-check.js';
import { AuditAnchors } from '../../src/audit/audit-anchors.js';
import { type AuditEntry, NO_CALLER } from '../../src/audit/audit-entry.js';
import { AuditRedaction } from '../../src/audit/audit-redaction.js';
import { AuditReader } from '../../src/audit/audit-reader.js';
import { AuditRetention } from '../../src/audit/audit-retention.js';
import {
  AuditVerifier,
  type KeptAnchor,
  type Verification,
} from '../../src/audit/audit-verifier.js';
import { AuditExports } from '../../src/audit/export/audit-exports.js';
import { SqlExportStore } from '../../src/audit/persistence/sql-export.store.js';
import type { Metrics } from '../../src/observability/metrics.js';
import { SqlAnchorOrder } from '../../src/audit/persistence/sql-anchor-order.js';
import { SqlAuditLog } from '../../src/audit/persistence/sql-audit-log.js';
import { SqlAuditStore } from '../../src/audit/persistence/sql-audit.store.js';
import { SystemIdSource } from '../../src/common/ids.js';
import type { Log } from '../../src/common/logger.js';
import { configWith } from '../../src/config/index.js';
import type { Database } from '../../src/database/database.js';
import { HubSettings } from '../../src/database/hub-settings.js';
import { SqlSigningKeyStore } from '../../src/signing/persistence/sql-signing-key.store.js';
import { SigningService } from '../../src/signing/signing.service.js';
import type { FakeClock } from './fake-clock.js';
import { testSecrets } from './secret-box.js';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} } as unknown as Log;

/** The audit log of one process of the hub. */
export class AuditProcess {
  readonly log: SqlAuditLog;
  readonly store: SqlAuditStore;
  readonly signing: SigningService;
  readonly anchors: AuditAnchors;
  readonly retention: AuditRetention;
  readonly exports: AuditExports;
  readonly reader: AuditReader;
  private readonly verifier: AuditVerifier;

  constructor(
    readonly database: Database,
    readonly clock: FakeClock,
    config = configWith({ audit: { retentionDays: 10 } }),
  ) {
    const ids = new SystemIdSource();
    const settings = new HubSettings(database, ids, testSecrets());
    const redaction = new AuditRedaction(config.audit.redact, () => settings.principalDigestKey());
    this.log = new SqlAuditLog(database, clock, ids, redaction);
    this.store = new SqlAuditStore(database);
    this.reader = new AuditReader(this.store, redaction);
    const keys = new SqlSigningKeyStore(database, new SqlAnchorOrder());
    this.signing = new SigningService(keys, testSecrets(), config, clock, SILENT);
    this.anchors = new AuditAnchors(
      this.log,
      this.store,
      this.signing,
      settings,
      database,
      clock,
      SILENT,
      config,
    );
    this.exports = new AuditExports(
      config,
      new SqlExportStore(database),
      clock,
      undefined as unknown as Metrics,
    );
    this.retention = new AuditRetention(
      this.log,
      this.store,
      this.anchors,
      clock,
      SILENT,
      config,
      this.exports,
    );
    const check = new AnchorCheck(this.store, this.signing, settings);
    this.verifier = new AuditVerifier(this.store, this.log, this.anchors, check);
  }

  /** Records so many entries, one commit each. */
  async record(count: number, fields: Partial<AuditEntry> = {}): Promise<void> {
    for (let i = 0; i < count; i++) await this.log.record(entryOf(fields));
  }

  /** Records so many entries in one commit. */
  async recordAtOnce(count: number): Promise<void> {
    await this.log.recordFrom(function* (tx) {
      yield* tx.all('SELECT 1 AS n');
      return Array.from({ length: count }, () => entryOf());
    });
  }

  verify(kept?: KeptAnchor): Promise<Verification> {
    return this.verifier.verify(kept);
  }

  /** Changes rows as somebody does who has the database, but none of the hub's keys. */
  tamper(sql: string, params: readonly (string | number)[] = []): Promise<number> {
    return this.database.write((tx) => tx.run(sql, params));
  }
}

export function entryOf(fields: Partial<AuditEntry> = {}): AuditEntry {
  return {
    action: 'agents.update',
    outcome: 'succeeded',
    actor: { ...NO_CALLER, principal: 'p1', organization: 'acme' },
    resource: { type: 'agents', id: 'a' },
    requestId: 'r1',
    policy: null,
    details: {},
    ...fields,
  };
}
