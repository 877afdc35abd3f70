import { useNavigate, useSearch } from '@tanstack/react-router';
import { api, type Schema } from '../../../api/client';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { ErrorView, Loaded, Loading } from '../../../ui/feedback';
import { Field, Select } from '../../../ui/field';
import { Card } from '../../../ui/page';
import { TextDiff } from '../../../ui/text-diff';
import { Time } from '../../../ui/time';
import { writtenOf } from './composite-draft';
import { useVersionAuthors } from './use-version-authors';

type Version = Schema<'CompositeVersionDto'>;

const PAGE = 50;

/** Every version there has been, and what is different between two of them. */
export function CompositeVersions({
  id,
  newest,
}: {
  readonly id: string;
  readonly newest: number;
}) {
  const list = api.useInfiniteQuery(
    'get',
    '/api/v1/composite-skills/{id}/versions',
    { params: { path: { id }, query: { limit: PAGE } } },
    {
      pageParamName: 'cursor',
      initialPageParam: null,
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    },
  );
  return (
    <Loaded query={list}>
      {({ pages }) => (
        <div className="routing-versions">
          <Comparison id={id} newest={newest} />
          <Card title="Versions" flush>
            <VersionList id={id} versions={pages.flatMap(({ items }) => items)} />
            {list.hasNextPage && (
              <p className="table-more">
                <Button
                  small
                  busy={list.isFetchingNextPage}
                  onClick={() => void list.fetchNextPage()}
                >
                  Load more
                </Button>
              </p>
            )}
          </Card>
        </div>
      )}
    </Loaded>
  );
}

function VersionList({
  id,
  versions,
}: {
  readonly id: string;
  readonly versions: readonly Version[];
}) {
  const navigate = useNavigate({ from: '/routing/composite-skills/$compositeId' });
  const authorOf = useVersionAuthors(id);
  return (
    <ol className="routing-version-list" aria-label="Versions, the newest first">
      {versions.map((each) => (
        <li key={each.version}>
          <span>
            <strong>Version {each.version}</strong> {!each.enabled && <Badge>disabled</Badge>}
          </span>
          <span className="faint">
            <Time at={each.createdAt} />
            {each.source === 'config' ? ', by the configuration file' : byWhom(authorOf(each))}
          </span>
          {each.version > 1 && (
            <Button
              small
              onClick={() =>
                void navigate({
                  search: { tab: 'versions', from: each.version - 1, to: each.version },
                })
              }
            >
              What it changed
            </Button>
          )}
        </li>
      ))}
    </ol>
  );
}

function byWhom(author: string | null): string {
  return author === null ? '' : `, by ${author}`;
}

function Comparison({ id, newest }: { readonly id: string; readonly newest: number }) {
  const { from = Math.max(1, newest - 1), to = newest } = useSearch({
    from: '/routing/composite-skills/$compositeId',
  });
  const navigate = useNavigate({ from: '/routing/composite-skills/$compositeId' });
  const before = useVersion(id, from);
  const after = useVersion(id, to);
  if (newest === 1) return null;
  const numbers = Array.from({ length: newest }, (_, index) => String(newest - index));
  const options = numbers.map((value) => ({ value, label: `Version ${value}` }));
  const choose = (changed: { readonly from?: number; readonly to?: number }) =>
    void navigate({ search: { tab: 'versions', from, to, ...changed }, replace: true });
  const error = before.error ?? after.error;
  return (
    <Card
      title="Differences"
      actions={
        <>
          <Field label={<span className="visually-hidden">From</span>}>
            <Select
              options={options}
              value={String(from)}
              onChange={({ target }) => choose({ from: Number(target.value) })}
            />
          </Field>
          <span aria-hidden="true">→</span>
          <Field label={<span className="visually-hidden">To</span>}>
            <Select
              options={options}
              value={String(to)}
              onChange={({ target }) => choose({ to: Number(target.value) })}
            />
          </Field>
        </>
      }
    >
      {error && <ErrorView error={error} />}
      {before.data && after.data ? (
        <Differences before={before.data} after={after.data} />
      ) : (
        !error && <Loading />
      )}
    </Card>
  );
}

function Differences({ before, after }: { readonly before: Version; readonly after: Version }) {
  const [old, now] = [before, after].map((each) => JSON.stringify(writtenOf(each), null, 2));
  if (old === now) return <p className="faint">They are the same.</p>;
  return (
    <TextDiff
      label={`From version ${before.version} to version ${after.version}`}
      from={old!}
      to={now!}
    />
  );
}

function useVersion(id: string, version: number) {
  return api.useQuery(
    'get',
    '/api/v1/composite-skills/{id}/versions/{version}',
    { params: { path: { id, version: String(version) } } },
    { staleTime: Infinity },
  );
}
