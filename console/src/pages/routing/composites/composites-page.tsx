import { Link } from '@tanstack/react-router';
import { api, type Schema } from '../../../api/client';
import { every } from '../../../api/pace';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { Empty, Loaded } from '../../../ui/feedback';
import { Icon } from '../../../ui/icons';
import { Card } from '../../../ui/page';
import { PlanPicture } from '../picture/plan-picture';
import { stepsOfWritten } from '../picture/plan-steps';
import { RoutingFrame } from '../routing-frame';
import { CompositeBadges } from './composite-badges';

const PAGE = 20;
const READ_AGAIN_MS = 5_000;

export function CompositesPage() {
  const list = api.useInfiniteQuery(
    'get',
    '/api/v1/composite-skills',
    { params: { query: { limit: PAGE } } },
    {
      pageParamName: 'cursor',
      initialPageParam: null,
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      refetchInterval: every(READ_AGAIN_MS),
    },
  );
  return (
    <RoutingFrame
      lead="Plans of several agents under one name. The hub’s card shows each as a skill that clients ask for like any other."
      actions={
        <Link className="button button-primary" to="/routing/composite-skills/new">
          <Icon name="plus" /> New composite skill
        </Link>
      }
    >
      <Loaded query={list}>
        {({ pages }) => {
          const skills = pages.flatMap(({ items }) => items);
          return skills.length === 0 ? (
            <Card>
              <Empty title="There are no composite skills">
                <p>
                  One makes several agents do the parts of a task, one behind or beside another, and
                  gives their result as one.
                </p>
                <Link to="/routing/composite-skills/new">Make the first one</Link>
              </Empty>
            </Card>
          ) : (
            <>
              {skills.map((skill) => (
                <CompositeCard key={skill.id} skill={skill} />
              ))}
              {list.hasNextPage && (
                <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                  Load more
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
    </RoutingFrame>
  );
}

function CompositeCard({ skill }: { readonly skill: Schema<'CompositeDto'> }) {
  const { id, name, description, steps, problems, tags } = skill;
  return (
    <div className="routing-composite">
      <Card
        flush
        title={
          <Link to="/routing/composite-skills/$compositeId" params={{ compositeId: id }}>
            {name}
          </Link>
        }
        actions={<CompositeBadges skill={skill} />}
      >
        <div className="card-body">
          <p>{description}</p>
          <p className="actions">
            {tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </p>
        </div>
        <PlanPicture label={`The steps of ${name}`} steps={stepsOfWritten(steps, problems)} />
      </Card>
    </div>
  );
}
