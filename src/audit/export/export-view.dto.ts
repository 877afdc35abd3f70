import { Shown } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import { EXPORT_TYPES, type ExportType } from './audit-export.js';
import type { ExportView } from './audit-exports.js';

const STATES = ['starting', 'sent', 'sending', 'failing'] as const;

/** How an export of the audit log is getting on. */
export class ExportViewDto {
  @Shown.Text({ example: 'siem' })
  readonly id!: string;

  @Shown.Choice(EXPORT_TYPES)
  readonly type!: ExportType;

  @Shown.Text({ description: 'Scheme, host and port of the receiver.' })
  readonly server!: string;

  @Shown.Choice(STATES, {
    description: 'sent: nothing waits. failing: the last attempt failed, and is repeated.',
  })
  readonly state!: (typeof STATES)[number];

  @Shown.Num({ description: 'Entries that are not sent yet.' })
  readonly waiting!: number;

  @Shown.Time({ nullable: true, description: 'When the oldest of these was written.' })
  readonly oldestAt!: string | null;

  @Shown.Num({ description: 'Entries that the receiver has acknowledged.' })
  readonly sent!: number;

  @Shown.Num({ description: 'Entries that were deleted before they were sent: docs/audit.md.' })
  readonly missed!: number;

  @Shown.Num({
    description:
      'Entries that the receiver rejected for good or refused again and again, and does not get: docs/audit.md.',
  })
  readonly setAside!: number;

  @Shown.Text({
    nullable: true,
    description: 'The last of these: its chain, its number there and the answer to it.',
  })
  readonly lastSetAside!: string | null;

  @Shown.Num({ description: 'Failed attempts since the last acknowledgement.' })
  readonly failures!: number;

  @Shown.Text({ nullable: true, description: 'Why the last failed attempt did.' })
  readonly lastError!: string | null;

  @Shown.Time({ nullable: true })
  readonly lastErrorAt!: string | null;

  @Shown.Time({ nullable: true, description: 'When the receiver last acknowledged.' })
  readonly lastSentAt!: string | null;

  @Shown.Time({ nullable: true, description: 'While it fails: when it is tried again.' })
  readonly nextAttemptAt!: string | null;

  constructor({ to, state, waiting, oldestAt }: ExportView) {
    const { protocol, host } = new URL(to.url);
    const failures = state?.failures ?? 0;
    fill<ExportViewDto>(this, {
      ...{ id: to.id, type: to.type, server: `${protocol}//${host}` },
      ...{ waiting, oldestAt, failures, sent: state?.sent ?? 0, missed: state?.missed ?? 0 },
      state: state === undefined ? 'starting' : stateOf(waiting, failures),
      ...{ setAside: state?.setAside ?? 0, lastSetAside: state?.lastSetAside ?? null },
      lastError: state?.lastError ?? null,
      lastErrorAt: state?.lastErrorAt ?? null,
      lastSentAt: state?.lastSentAt ?? null,
      nextAttemptAt: state?.nextAttemptAt ?? null,
    });
  }
}

export class ExportListDto {
  @Shown.Nested(() => ExportViewDto, { list: true })
  readonly items!: readonly ExportViewDto[];

  constructor(items: readonly ExportViewDto[]) {
    fill<ExportListDto>(this, { items });
  }
}

function stateOf(waiting: number, failures: number): (typeof STATES)[number] {
  if (failures > 0) return 'failing';
  return waiting > 0 ? 'sending' : 'sent';
}
