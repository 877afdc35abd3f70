import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { DataOwner, DataRemoval, OwnedData } from '../../../common/owned-data.js';
import { Database } from '../../../database/database.js';
import { OwnedRows } from '../../../database/owned-rows.js';
import { Revision } from '../../../database/revision.js';
import { AuthProfileEntity } from '../../auth/persistence/auth-profile.entity.js';
import {
  DeliveryStreamEntity,
  PushDeliveryEntity,
} from '../../delivery/persistence/delivery.entity.js';
import {
  PushEndpointEntity,
  PushEventEntity,
} from '../../receivers/persistence/endpoint.entity.js';
import {
  PushReachEntity,
  PushReceiverEntity,
  PushSenderEntity,
} from '../../receivers/persistence/receiver.entity.js';
import { REVISION } from '../../registration/persistence/webhook-revision.js';
import { DELETED } from '../../registration/persistence/webhook-rows.js';
import { WebhookEntity } from '../../registration/persistence/webhook.entity.js';
import { SubscriptionDirectory } from '../../registration/subscription-directory.js';
import { PushData } from '../push-data.js';
import { ReceiverGate } from '../../receivers/receiver-gate.js';
import { OwnedAttempts } from './owned-attempts.js';
import { RECEIVERS_OF } from './records-of.js';

const OWN = { ofOrganization: 'organization = ?', ofPrincipal: 'principal_id = ?' } as const;
/** Until every process knows that subscriptions have ended, and has committed what began before. */
const KNOWN_EVERYWHERE_MS = 1500;

/**
 * {@link PushData} in the hub's database. Streams go first: what has no stream is not sent any more; then what was
 * delivered, then the webhooks.
 */
@Injectable()
export class SqlPushData extends PushData {
  readonly kinds: readonly OwnedData[];

  constructor(
    database: Database,
    directory: SubscriptionDirectory,
    clock: Clock,
    gate: ReceiverGate,
  ) {
    super();
    this.kinds = [
      new Streams(database, directory, clock),
      new OwnedAttempts(database),
      new OwnedRows(database, {
        kind: 'deliveries',
        entity: PushDeliveryEntity,
        key: ['id'],
        ...OWN,
        hidden: ['body'],
      }),
      new OwnedRows(database, {
        kind: 'webhooks',
        entity: WebhookEntity,
        key: ['id'],
        ...OWN,
        hidden: ['fingerprint', 'reconcileRevision'],
        revision: REVISION,
        isRevisionFirst: true,
      }),
      new OwnedRows(database, {
        kind: 'webhooksOnTasksOfOthers',
        entity: WebhookEntity,
        key: ['set_by', 'id'],
        // Those on tasks of colleagues are webhooks of the organization already.
        ofOrganization: `set_by IN (SELECT p.id FROM principals p
          WHERE p.organization = ? AND p.organization <> push_webhooks.organization)`,
        ofPrincipal: 'set_by = ?',
        before: (condition) =>
          `DELETE FROM push_delivery_streams WHERE id IN (SELECT id FROM push_webhooks WHERE ${condition})`,
        hidden: ['fingerprint', 'reconcileRevision'],
      }),
      new OwnedRows(database, {
        kind: 'webhookEvents',
        entity: PushEventEntity,
        key: ['id'],
        ...OWN,
      }),
      new OwnedRows(database, {
        kind: 'receiverHealth',
        entity: PushEndpointEntity,
        key: ['endpoint'],
        ofOrganization: 'organization = ?',
      }),
      new Receivers(database, gate),
      new OwnedRows(database, {
        kind: 'senders',
        entity: PushSenderEntity,
        key: ['principal_id'],
        ofPrincipal: 'principal_id = ?',
      }),
      new OwnedRows(database, {
        kind: 'reaches',
        entity: PushReachEntity,
        key: ['principal_id', 'endpoint'],
        ofPrincipal: 'principal_id = ?',
      }),
      new OwnedRows(database, {
        kind: 'authProfiles',
        entity: AuthProfileEntity,
        key: ['id'],
        ofOrganization: 'organization = ?',
        revision: new Revision('push_auth_revisions'),
        isRevisionFirst: true,
      }),
    ];
  }
}

/** Which receivers have agreed; this process forgets it as well. */
class Receivers extends OwnedRows<PushReceiverEntity> {
  constructor(
    database: Database,
    private readonly gate: Pick<ReceiverGate, 'forget'>,
  ) {
    super(database, {
      kind: 'receivers',
      entity: PushReceiverEntity,
      key: ['endpoint'],
      ofOrganization: RECEIVERS_OF,
    });
  }

  override async delete(owner: DataOwner): Promise<number> {
    const deleted = await super.delete(owner);
    if ('organization' in owner) this.gate.forget(owner.organization);
    return deleted;
  }
}

/** Where deliveries are; the subscriptions that make new ones end first. */
class Streams extends OwnedRows<DeliveryStreamEntity> {
  constructor(
    private readonly rows: Database,
    private readonly directory: SubscriptionDirectory,
    private readonly clock: Clock,
  ) {
    super(rows, {
      kind: 'deliveryStreams',
      entity: DeliveryStreamEntity,
      key: ['id'],
      ofOrganization: 'organization = ?',
      ofPrincipal: 'webhook_uid IN (SELECT id FROM push_webhooks WHERE principal_id = ?)',
      hidden: ['owner', 'cursor'],
    });
  }

  override async end(owner: DataOwner, { now }: DataRemoval): Promise<void> {
    const [column, name] =
      'organization' in owner
        ? ['organization', owner.organization]
        : ['principal_id', owner.principal];
    const ended = await this.rows.write(function* (tx) {
      const revision = yield* REVISION.raise(tx);
      return yield* tx.run(
        `UPDATE push_webhooks SET state = '${DELETED}', reconcile_revision = ?, updated_at = ?,
           auth_scheme = NULL, auth_profile = NULL, sealed_credentials = NULL, sealed_token = NULL,
           sealed_signing_keys = NULL
         WHERE ${column} = ? AND scope <> 'task' AND state <> '${DELETED}'`,
        [revision, now.getTime(), name],
      );
    });
    if (ended === 0) return;
    await this.directory.renew();
    if (!this.rows.soleProcess) await this.clock.sleep(KNOWN_EVERYWHERE_MS);
  }
}
