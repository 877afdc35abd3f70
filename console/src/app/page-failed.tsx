import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ErrorView } from '../ui/feedback';

/** A page that failed: it could not be loaded, or there is a fault in it. It is tried again when the network is back. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  useEffect(() => {
    const again = () => {
      reset();
      void router.invalidate();
    };
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  }, [reset, router]);
  return (
    <div className="page">
      <ErrorView
        error={error}
        onRetry={() => {
          reset();
          void router.invalidate();
        }}
      />
    </div>
  );
}
