import { type ReactNode, useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import type { Column } from '../../../ui/data-table';
import { Confirm } from '../../../ui/dialog';
import { Empty } from '../../../ui/feedback';
import { Icon } from '../../../ui/icons';
import { Menu } from '../../../ui/menu';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { principalText } from '../../../ui/principal-name';
import { notify } from '../../../ui/toast';
import { ACCESS, refreshAccess } from '../query-keys';
import { LimitForm } from './limit-form';
import { UseBar } from './use-bar';

type Limit = Schema<'LimitDto'>;
type Use = Schema<'LimitUsageDto'>;

/** What organizations, principals, agents and skills may have at most, with what is used of it. */
export function LimitList() {
  const [editing, setEditing] = useState<{ limit: Limit | null } | null>(null);
  const [deleting, setDeleting] = useState<Limit | null>(null);
  const pages = usePages<Limit>([ACCESS, 'limits'], (cursor, signal) =>
    client.GET('/api/v1/limits', { params: { query: { limit: PAGE_ROWS, cursor } }, signal }),
  );
  const uses = usePages<Use>([ACCESS, 'limit-usage'], (cursor, signal) =>
    client.GET('/api/v1/usage/limits', {
      params: { query: { limit: PAGE_ROWS, cursor } },
      signal,
    }),
  );
  const more = () => {
    pages.onMore();
    uses.onMore();
  };
  const used = new Map(uses.rows.map((each) => [each.id, each.usage]));
  return (
    <>
      <Card
        flush
        title="Limits"
        actions={
          <Button
            small
            kind="primary"
            icon={<Icon name="plus" />}
            onClick={() => setEditing({ limit: null })}
          >
            New limit
          </Button>
        }
      >
        <PagedTable
          label="List of limits"
          pages={{ ...pages, onMore: more }}
          rowId={({ id }) => id}
          columns={columnsOf(
            (limit) => used.get(limit.id) ?? [],
            (limit) =>
              limit.source === 'config' ? null : (
                <Menu
                  label={`Actions of the limit ${limit.id}`}
                  items={[
                    { label: 'Change …', onSelect: () => setEditing({ limit }) },
                    { label: 'Delete …', danger: true, onSelect: () => setDeleting(limit) },
                  ]}
                />
              ),
          )}
          empty={
            <Empty title="No limit is set">
              <p>Only the settings of the hub hold, alike for all organizations and principals.</p>
            </Empty>
          }
        />
      </Card>
      {editing && <LimitForm limit={editing.limit} onClose={() => setEditing(null)} />}
      {deleting && (
        <Confirm
          open
          title={`Delete the limit ${deleting.id}`}
          action="Delete"
          onClose={() => setDeleting(null)}
          onConfirm={async () => {
            await client.DELETE('/api/v1/limits/{id}', { params: { path: { id: deleting.id } } });
            notify(`The limit ${deleting.id} was deleted.`);
            await refreshAccess();
          }}
        >
          <p>Then only the settings of the hub and other limits hold for {subjectOf(deleting)}.</p>
        </Confirm>
      )}
    </>
  );
}

/** Whom a limit is for, in words. */
export function subjectOf({
  organization,
  principal,
  principalName,
  agent,
  skill,
}: Pick<Limit, 'organization' | 'principal' | 'principalName' | 'agent' | 'skill'>): string {
  const who = organization
    ? `organization ${organization}`
    : principal && `principal ${principalText(principal, principalName)}`;
  const where = skill ? `skill ${skill}` : agent && `agent ${agent}`;
  return who && where ? `${who} at ${where}` : (who ?? where ?? 'nobody');
}

function columnsOf(
  usesOf: (limit: Limit) => Use['usage'],
  menu: (limit: Limit) => ReactNode,
): Column<Limit>[] {
  return [
    {
      id: 'id',
      header: 'Limit',
      share: 0.9,
      sortBy: ({ id }) => id,
      cell: ({ id, source }) => (
        <>
          {id} {source === 'config' && <Badge>declared</Badge>}
        </>
      ),
    },
    {
      id: 'subject',
      header: 'For',
      share: 1.4,
      sortBy: subjectOf,
      cell: (limit) => (
        <>
          {subjectOf(limit)}
          {limit.problems.map(({ field, description }) => (
            <div key={field}>
              <Badge tone="warning">
                {field} {description}
              </Badge>
            </div>
          ))}
        </>
      ),
    },
    {
      id: 'use',
      header: 'Used',
      share: 2.4,
      cell: (limit) => (
        <>
          {usesOf(limit).map((use) => (
            <UseBar key={use.kind} use={use} />
          ))}
          {limit.requestsPerSecond !== null && (
            <UseBar
              use={{
                kind: 'requestsPerSecond',
                used: null,
                limit: limit.requestsPerSecond,
                unit: null,
                state: 'ok',
                resetsAt: null,
              }}
            />
          )}
        </>
      ),
    },
    { id: 'actions', header: 'Actions', share: 0.4, align: 'end', cell: menu },
  ];
}
