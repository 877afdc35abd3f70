import type { Schema } from '../../../api/client';
import { Badge } from '../../../ui/badge';
import { counted } from '../../../ui/lists';

/** What is to be known of a composite skill at first sight. */
export function CompositeBadges({ skill }: { readonly skill: Schema<'CompositeDto'> }) {
  const { enabled, source, problems, version, organizations } = skill;
  return (
    <>
      {!enabled && <Badge>disabled</Badge>}
      {source === 'config' && (
        <Badge title="Declared in the configuration file">configuration</Badge>
      )}
      {problems.length > 0 && (
        <Badge tone="bad" title={problems.map(({ description }) => description).join('\n')}>
          {counted(problems.length, 'problem')}
        </Badge>
      )}
      {organizations && <Badge title="Only for them">{organizations.join(', ')}</Badge>}
      <Badge>version {version}</Badge>
    </>
  );
}
