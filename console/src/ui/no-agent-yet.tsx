import { useMay } from '../api/me';
import { Empty } from './feedback';
import { PageLink } from './page-link';

/** Where there is no agent that one could look after: how the hub becomes useful. */
export function NoAgentYet() {
  const seesAll = useMay('agents');
  return (
    <Empty title={seesAll ? 'No agent yet' : 'Your organization has no agent of its own yet'}>
      <p>
        {!seesAll && 'Agents that operators have opened for it are not shown here. '}
        Give the hub the address of an agent that speaks A2A: it reads the agent&rsquo;s card and
        shows what it would call before anything is kept.
      </p>
      <PageLink to="/agents/new" className="button button-primary">
        Register an agent
      </PageLink>
    </Empty>
  );
}
