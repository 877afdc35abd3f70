import { Navigate } from '@tanstack/react-router';
import { useMay } from '../../api/me';

/** Where the page begins: at the rules for those who manage them, else at the dry run. */
export function RoutingBegin() {
  return <Navigate to={useMay('routing') ? '/routing/rules' : '/routing/dry-run'} replace />;
}
