import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import type { Column } from '../../../ui/data-table';
import { Confirm } from '../../../ui/dialog';
import { Empty } from '../../../ui/feedback';
import { Icon } from '../../../ui/icons';
import { Menu } from '../../../ui/menu';
import { OnceSecret } from '../../../ui/once-secret';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { Time } from '../../../ui/time';
import { Toolbar } from '../../../ui/toolbar';
import { notify } from '../../../ui/toast';
import { PUSH, refreshPush } from '../keys';
import { ProfileForm } from './profile-form';
import { ProfileRotation } from './profile-rotation';

type Profile = Schema<'AuthProfileDto'>;

/** Credentials that the hub keeps for receivers. */
export function AuthProfilesTab() {
  const [creating, setCreating] = useState(false);
  const [rotating, setRotating] = useState<Profile | null>(null);
  const [deleting, setDeleting] = useState<Profile | null>(null);
  const [issued, setIssued] = useState<string | null>(null);
  const pages = usePages<Profile>([PUSH, 'auth-profiles'], (cursor, signal) =>
    client.GET('/api/v1/push/auth-profiles', {
      params: { query: { limit: PAGE_ROWS, cursor } },
      signal,
    }),
  );
  return (
    <div className="page">
      <Toolbar
        action={
          <Button kind="primary" icon={<Icon name="plus" />} onClick={() => setCreating(true)}>
            New auth profile
          </Button>
        }
      />
      <Card flush>
        <PagedTable
          label="Auth profiles"
          pages={pages}
          rowId={({ id }) => id}
          columns={[
            ...COLUMNS,
            {
              id: 'actions',
              header: 'Actions',
              share: 0.5,
              align: 'end',
              cell: (row) => (
                <Menu
                  label={`Actions of ${row.name}`}
                  items={[
                    ...(row.scheme === 'jwt'
                      ? []
                      : [{ label: 'Rotate secret …', onSelect: () => setRotating(row) }]),
                    { label: 'Delete …', danger: true, onSelect: () => setDeleting(row) },
                  ]}
                />
              ),
            },
          ]}
          empty={
            <Empty title="No auth profile">
              <p>
                A profile keeps how the hub proves itself to receivers, so that webhooks name it
                instead of carrying secrets.
              </p>
            </Empty>
          }
        />
      </Card>
      {creating && <ProfileForm onClose={() => setCreating(false)} onIssued={setIssued} />}
      {rotating && (
        <ProfileRotation
          profile={rotating}
          onClose={() => setRotating(null)}
          onIssued={setIssued}
        />
      )}
      {deleting && (
        <Confirm
          open
          title={`Delete the profile ${deleting.name}`}
          action="Delete"
          onClose={() => setDeleting(null)}
          onConfirm={async () => {
            await client.DELETE('/api/v1/push/auth-profiles/{id}', {
              params: { path: { id: deleting.id } },
            });
            notify('The profile was deleted.');
            await refreshPush();
          }}
        >
          <p>Its secret is gone for good. It is refused while webhooks name it.</p>
        </Confirm>
      )}
      {issued !== null && (
        <OnceSecret
          title="The secret that the hub made"
          label="secret"
          secret={issued}
          onClose={() => setIssued(null)}
        />
      )}
    </div>
  );
}

const COLUMNS: Column<Profile>[] = [
  { id: 'name', header: 'Name', sortBy: ({ name }) => name, cell: ({ name }) => name },
  {
    id: 'scheme',
    header: 'Scheme',
    sortBy: ({ scheme }) => scheme,
    cell: ({ scheme, automatic, certificate }) => (
      <span className="webhooks-badges">
        <Badge>{scheme}</Badge>
        {automatic && <Badge tone="info">automatic</Badge>}
        {certificate && certificate.state !== 'valid' && (
          <Badge tone={certificate.state === 'expiring' ? 'warning' : 'bad'}>
            certificate {certificate.state}
          </Badge>
        )}
      </span>
    ),
  },
  { id: 'urls', header: 'Addresses', share: 1.5, cell: ({ urls }) => urls.join(' ') },
  {
    id: 'organization',
    header: 'Organization',
    share: 0.7,
    minor: true,
    cell: ({ organization }) => organization ?? 'every',
  },
  {
    id: 'secret',
    header: 'Secret',
    share: 1.1,
    minor: true,
    cell: ({ secret }) =>
      secret === null ? (
        <span className="faint">none</span>
      ) : (
        <>
          <code>{secret.reference ?? secret.fingerprint?.slice(0, 12)}</code>{' '}
          {secret.problem ? (
            <Badge tone="bad">{secret.problem}</Badge>
          ) : (
            <span className="faint">
              since <Time at={secret.since} />
            </span>
          )}
        </>
      ),
  },
];
