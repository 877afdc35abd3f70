import { type ReactNode, useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import type { Column } from '../../../ui/data-table';
import { Empty } from '../../../ui/feedback';
import { Icon } from '../../../ui/icons';
import { Menu } from '../../../ui/menu';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { PrincipalName } from '../../../ui/principal-name';
import { Time, useNow } from '../../../ui/time';
import { Toolbar } from '../../../ui/toolbar';
import { ACCESS } from '../query-keys';
import { useAccessSearch } from '../search';
import { PrincipalFilter } from '../shared/principal-inputs';
import { type KeyAction, KeyDialogs } from './key-dialogs';

type ApiKey = Schema<'KeyDto'>;

/** API keys, revoked ones included. */
export function KeysTab() {
  const [{ principal }, change] = useAccessSearch();
  const [doing, setDoing] = useState<{ action: KeyAction; apiKey: ApiKey | null } | null>(null);
  const pages = usePages<ApiKey>([ACCESS, 'keys', principal], (cursor, signal) =>
    client.GET('/api/v1/keys', {
      params: { query: { limit: PAGE_ROWS, cursor, principal } },
      signal,
    }),
  );
  const menu = (apiKey: ApiKey) =>
    apiKey.revokedAt !== null ? null : (
      <Menu
        label={`Actions of the key ${apiKey.name}`}
        items={[
          { label: 'Change …', onSelect: () => setDoing({ action: 'change', apiKey }) },
          { label: 'Rotate …', onSelect: () => setDoing({ action: 'rotate', apiKey }) },
          {
            label: 'Revoke …',
            danger: true,
            onSelect: () => setDoing({ action: 'revoke', apiKey }),
          },
        ]}
      />
    );
  return (
    <div className="page">
      <Toolbar
        action={
          <Button
            kind="primary"
            icon={<Icon name="plus" />}
            onClick={() => setDoing({ action: 'create', apiKey: null })}
          >
            New key
          </Button>
        }
      >
        <PrincipalFilter
          label="Principal"
          value={principal}
          onChange={(next) => change({ principal: next })}
        />
      </Toolbar>
      <Card flush>
        <PagedTable
          label="Keys"
          pages={pages}
          rowId={({ id }) => id}
          columns={columnsOf(menu)}
          empty={
            <Empty
              title={principal ? 'No key is of a principal of this id or name' : 'No keys yet'}
            >
              <p>A key lets a program call the hub. It is shown once, when it is made.</p>
            </Empty>
          }
        />
      </Card>
      {doing && <KeyDialogs {...doing} principal={principal} onClose={() => setDoing(null)} />}
    </div>
  );
}

function KeyState({ apiKey }: { readonly apiKey: ApiKey }) {
  const now = useNow();
  if (apiKey.revokedAt !== null) return <Badge tone="bad">revoked</Badge>;
  if (apiKey.expiresAt !== null && Date.parse(apiKey.expiresAt) <= now) {
    return <Badge tone="bad">expired</Badge>;
  }
  return (
    <span className="access-badges">
      <Badge tone="good">valid</Badge>
      {apiKey.replacedBy !== null && <Badge tone="warning">replaced</Badge>}
    </span>
  );
}

function columnsOf(menu: (row: ApiKey) => ReactNode): Column<ApiKey>[] {
  return [
    {
      id: 'name',
      header: 'Key',
      share: 1.3,
      sortBy: ({ name }) => name,
      cell: ({ name, id }) => (
        <span title={id}>
          {name} <span className="faint">{id.slice(0, 8)}…</span>
        </span>
      ),
    },
    {
      id: 'principal',
      header: 'Principal',
      share: 1.2,
      sortBy: ({ principalId, principalName }) => principalName ?? principalId,
      cell: ({ principalId, principalName, organization }) => (
        <>
          <PrincipalName id={principalId} name={principalName} />{' '}
          <span className="faint">{organization}</span>
        </>
      ),
    },
    {
      id: 'state',
      header: 'State',
      share: 0.7,
      cell: (apiKey) => <KeyState apiKey={apiKey} />,
    },
    {
      id: 'scopes',
      header: 'Scopes',
      share: 1.5,
      cell: ({ scopes }) => (
        <span className="access-badges">
          {scopes.map((scope) => (
            <Badge key={scope} tone={scope === 'admin' ? 'warning' : 'neutral'}>
              {scope}
            </Badge>
          ))}
        </span>
      ),
    },
    {
      id: 'places',
      header: 'Only from',
      minor: true,
      cell: ({ allowedNetworks, allowedOrigins }) =>
        [...allowedNetworks, ...allowedOrigins].join(' ') || (
          <span className="faint">anywhere</span>
        ),
    },
    {
      id: 'used',
      header: 'Last used',
      share: 0.7,
      minor: true,
      sortBy: ({ lastUsedAt }) => lastUsedAt,
      cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
    },
    {
      id: 'ends',
      header: 'Ends',
      share: 0.7,
      minor: true,
      sortBy: ({ expiresAt }) => expiresAt,
      cell: ({ expiresAt }) => <Time at={expiresAt} />,
    },
    { id: 'actions', header: 'Actions', share: 0.5, align: 'end', cell: menu },
  ];
}
