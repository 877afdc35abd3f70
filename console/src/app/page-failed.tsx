import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import { ErrorView } from '../ui/feedback';

/** A page that failed: it could not be loaded, or there is a fault in it. It is tried again when the network is back. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const again = useCallback(() => {
    reset();
    void router.invalidate();
  }, [reset, router]);
  useEffect(() => {
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  }, [again]);
  return (
    <div className="page">
      <ErrorView error={error} onRetry={again} />
    </div>
  );
}
