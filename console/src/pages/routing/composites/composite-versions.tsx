import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../../api/client';
import { useVersionAuthors } from '../versions/use-version-authors';
import { VersionHistory, VERSIONS_PAGE } from '../versions/version-history';
import { writtenOf } from './composite-draft';

/** Every version there has been of a composite skill, and what is different between two of them. */
export function CompositeVersions({
  id,
  newest,
  isDeclared,
}: {
  readonly id: string;
  readonly newest: number;
  readonly isDeclared: boolean;
}) {
  const list = api.useInfiniteQuery(
    'get',
    '/api/v1/composite-skills/{id}/versions',
    { params: { path: { id }, query: { limit: VERSIONS_PAGE } } },
    {
      pageParamName: 'cursor',
      initialPageParam: null,
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    },
  );
  const { from = Math.max(1, newest - 1), to = newest } = useSearch({
    from: '/routing/composite-skills/$compositeId',
  });
  const navigate = useNavigate({ from: '/routing/composite-skills/$compositeId' });
  return (
    <VersionHistory
      list={list}
      newest={newest}
      compared={{ from, to }}
      before={useCompositeVersion(id, from)}
      after={useCompositeVersion(id, to)}
      writtenOf={writtenOf}
      authorOf={useVersionAuthors('composite-skills', id)}
      onCompare={(compared, options) =>
        void navigate({ search: { tab: 'versions', ...compared }, ...options })
      }
      onTake={
        isDeclared ? undefined : (version) => void navigate({ search: { tab: 'edit', version } })
      }
    />
  );
}

export function useCompositeVersion(id: string, version: number, enabled = true) {
  return api.useQuery(
    'get',
    '/api/v1/composite-skills/{id}/versions/{version}',
    { params: { path: { id, version: String(version) } } },
    { staleTime: Infinity, enabled },
  );
}
