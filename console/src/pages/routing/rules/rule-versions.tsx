import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../../api/client';
import { useVersionAuthors } from '../versions/use-version-authors';
import { VersionHistory, VERSIONS_PAGE } from '../versions/version-history';
import { writtenOf } from './rule-draft';
import type { Rule } from '../../../api/rules';

/** Every version there has been of a rule, and what is different between two of them. */
export function RuleVersions({ rule }: { readonly rule: Rule }) {
  const { id, source } = rule;
  const list = api.useInfiniteQuery(
    'get',
    '/api/v1/routes/rules/{id}/versions',
    { params: { path: { id }, query: { limit: VERSIONS_PAGE } } },
    {
      pageParamName: 'cursor',
      initialPageParam: null,
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    },
  );
  // The page keeps the rule as it was when it was opened.
  const newest = list.data?.pages[0]?.items[0]?.version ?? rule.version;
  const { from = Math.max(1, newest - 1), to = newest } = useSearch({
    from: '/routing/rules/$ruleId',
  });
  const navigate = useNavigate({ from: '/routing/rules/$ruleId' });
  return (
    <VersionHistory
      list={list}
      newest={newest}
      compared={{ from, to }}
      before={useRuleVersion(id, from)}
      after={useRuleVersion(id, to)}
      writtenOf={writtenOf}
      authorOf={useVersionAuthors('routes.rules', id)}
      onCompare={(compared, options) =>
        void navigate({ search: { tab: 'versions', ...compared }, ...options })
      }
      onTake={source === 'config' ? undefined : (version) => void navigate({ search: { version } })}
    />
  );
}

export function useRuleVersion(id: string, version: number, enabled = true) {
  return api.useQuery(
    'get',
    '/api/v1/routes/rules/{id}/versions/{version}',
    { params: { path: { id, version: String(version) } } },
    { staleTime: Infinity, enabled },
  );
}
