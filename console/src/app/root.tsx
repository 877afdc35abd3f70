import { createRootRoute, type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Button } from '../ui/button';
import { Empty, ErrorView } from '../ui/feedback';
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

/** A page that failed: a new version of the hub has other files, or there is a fault in it. */
function PageFailed({ error }: ErrorComponentProps) {
  return (
    <div className="page">
      <ErrorView error={error} />
      <Button onClick={() => location.reload()}>Load the console again</Button>
    </div>
  );
}
