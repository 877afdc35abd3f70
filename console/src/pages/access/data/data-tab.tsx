import { useMay } from '../../../api/me';
import { DataJobs } from './data-jobs';
import { SignInBlocks } from './sign-in-blocks';

/** What was asked for about somebody's data, and who may not come back after a deletion. */
export function DataTab() {
  const mayData = useMay('data');
  const mayAll = useMay('access');
  return (
    <div className="page">
      {mayData && <DataJobs />}
      {mayAll && <SignInBlocks />}
    </div>
  );
}
