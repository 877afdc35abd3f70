import type { Schema } from '../../../api/client';
import { Badge, type Tone } from '../../../ui/badge';

const TONES: Readonly<Record<string, Tone>> = {
  verified: 'good',
  unsigned: 'neutral',
  unchecked: 'neutral',
  unverified: 'warning',
  invalid: 'bad',
};

export function SignatureView({ signature }: { readonly signature: Schema<'CardSignatureDto'> }) {
  const { outcome, reason, keyId, algorithm, keySource } = signature;
  return (
    <>
      <Badge tone={TONES[outcome] ?? 'neutral'}>{outcome}</Badge>{' '}
      <span className="faint">
        {reason}
        {keyId && ` Key ${keyId}${algorithm ? ` (${algorithm})` : ''}, of the ${keySource}.`}
      </span>
    </>
  );
}
