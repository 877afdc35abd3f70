import { useState } from 'react';
import { api, client, type Schema } from '../../../api/client';
import { usePages } from '../../../api/pages';
import { Badge, type Tone } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { Id } from '../../../ui/copy';
import type { Column } from '../../../ui/data-table';
import { Confirm } from '../../../ui/dialog';
import { Empty, Loaded, Notice } from '../../../ui/feedback';
import { counted } from '../../../ui/lists';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { Time } from '../../../ui/time';
import { notify } from '../../../ui/toast';
import { ACCESS, refreshAccess } from '../query-keys';

type SigningKey = Schema<'SigningKeyDto'>;

/** With what the hub signs, and with what it encrypts secrets in its database. */
export function HubKeysTab() {
  const [rotating, setRotating] = useState(false);
  const [revoking, setRevoking] = useState<SigningKey | null>(null);
  const pages = usePages<SigningKey>([ACCESS, 'signing-keys'], async (_cursor, signal) =>
    client.GET('/api/v1/signing-keys', { signal }),
  );
  return (
    <div className="page">
      <Card
        flush
        title="Signing keys"
        actions={
          <Button small kind="primary" onClick={() => setRotating(true)}>
            Rotate
          </Button>
        }
      >
        <PagedTable
          label="List of signing keys"
          pages={pages}
          rowId={({ kid }) => kid}
          columns={[
            ...COLUMNS,
            {
              id: 'actions',
              header: 'Actions',
              share: 0.7,
              align: 'end',
              cell: (row) =>
                row.state === 'revoked' || row.state === 'expired' ? null : (
                  <Button small kind="danger" onClick={() => setRevoking(row)}>
                    Revoke
                  </Button>
                ),
            },
          ]}
          empty={<Empty title="No signing key yet" />}
        />
      </Card>
      <EncryptionKeys />
      {rotating && (
        <Confirm
          open
          title="Rotate the signing key"
          action="Rotate"
          danger={false}
          onClose={() => setRotating(false)}
          onConfirm={async () => {
            await client.POST('/api/v1/signing-keys', { body: { publishFirst: true } });
            notify('A new key is published, and signs after a while.');
            await refreshAccess();
          }}
        >
          <p>
            A new key is published first and signs later, so that receivers know it by then. The
            present one stays published.
          </p>
        </Confirm>
      )}
      {revoking && (
        <Confirm
          open
          title="Revoke the signing key"
          action="Revoke"
          onClose={() => setRevoking(null)}
          onConfirm={async () => {
            await client.DELETE('/api/v1/signing-keys/{kid}', {
              params: { path: { kid: revoking.kid } },
            });
            notify('The key is revoked.');
            await refreshAccess();
          }}
        >
          <p>
            Nothing that it signed is accepted any more: tokens, cards, anchors made from then on.
            If it is the present one, a new key signs at once, which receivers do not know yet.
          </p>
        </Confirm>
      )}
    </div>
  );
}

const TONES: Readonly<Record<SigningKey['state'], Tone>> = {
  next: 'info',
  signing: 'good',
  retired: 'neutral',
  expired: 'neutral',
  revoked: 'bad',
};

const COLUMNS: Column<SigningKey>[] = [
  { id: 'kid', header: 'Key', share: 2.4, cell: ({ kid }) => <Id value={kid} short /> },
  {
    id: 'state',
    header: 'State',
    sortBy: ({ state }) => state,
    cell: ({ state, alg }) => (
      <>
        <Badge tone={TONES[state]}>{state}</Badge> <span className="faint">{alg}</span>
      </>
    ),
  },
  {
    id: 'from',
    header: 'Signs from',
    cell: ({ signsFrom }) => <Time at={signsFrom} />,
  },
  {
    id: 'created',
    header: 'Created',
    minor: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
];

/** Which keys encrypt how many secrets; a key in use must not be lost. */
function EncryptionKeys() {
  const secrets = api.useQuery('get', '/api/v1/secrets');
  return (
    <Card title="Encryption of secrets">
      <Loaded query={secrets}>
        {({ keys, unencrypted, unreadable }) => (
          <>
            {unreadable > 0 && (
              <Notice tone="bad">
                {counted(unreadable, 'secret')} cannot be decrypted with the key of its id.
              </Notice>
            )}
            {unencrypted > 0 && (
              <Notice tone="warning">
                {counted(unencrypted, 'secret')} not encrypted yet: the hub does that by itself.
              </Notice>
            )}
            <ul className="access-own">
              {keys.map(({ id, use, secrets: count }) => (
                <li key={id}>
                  <code>{id}</code>
                  <span>
                    <Badge
                      tone={use === 'encrypts' ? 'good' : use === 'missing' ? 'bad' : 'neutral'}
                    >
                      {use}
                    </Badge>{' '}
                    {counted(count, 'secret')}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Card>
  );
}
