import type { Schema } from '../../../api/client';
import { Badge, type Tone } from '../../../ui/badge';

export type PrincipalState = Schema<'PrincipalDto'>['state'];

const TONES: Readonly<Record<PrincipalState, Tone>> = {
  active: 'good',
  keyless: 'warning',
  disabled: 'bad',
};

/** Whether a principal can call at present. */
export function PrincipalStateBadge({ state }: { readonly state: PrincipalState }) {
  return <Badge tone={TONES[state]}>{state === 'keyless' ? 'without a key' : state}</Badge>;
}
