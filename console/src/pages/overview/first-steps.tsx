import { Empty } from '../../ui/feedback';
import { Card } from '../../ui/page';
import { PageLink } from '../../ui/page-link';

/** A hub without agents: how it becomes useful. */
export function FirstSteps() {
  return (
    <Card>
      <Empty title="No agent yet">
        <p>
          The hub routes messages to agents that speak A2A. Give it the address of one: it reads the
          agent&rsquo;s card and shows what it would call before anything is kept.
        </p>
        <PageLink to="/agents/new" className="button button-primary">
          Register an agent
        </PageLink>
      </Empty>
    </Card>
  );
}
