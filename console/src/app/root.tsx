import { createRootRoute, Link } from '@tanstack/react-router';
import { Empty } from '../ui/feedback';
import { PageFailed } from './page-failed';
import { Shell } from './shell';

/** What every page's route is below. */
export const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <Empty title="There is no such page">
      <Link to="/">To the overview</Link>
    </Empty>
  ),
  errorComponent: PageFailed,
});
