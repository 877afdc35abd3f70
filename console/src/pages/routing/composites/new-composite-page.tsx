import { useNavigate } from '@tanstack/react-router';
import { client, queries } from '../../../api/client';
import { notify } from '../../../ui/toast';
import { RoutingFrame } from '../routing-frame';
import type { CompositeDraft } from './composite-draft';
import { CompositeEditor } from './composite-editor';

export function NewCompositePage() {
  const navigate = useNavigate();
  const save = async (draft: CompositeDraft) => {
    const { data } = await client.POST('/api/v1/composite-skills', { body: draft as never });
    await queries.invalidateQueries({ queryKey: ['get', '/api/v1/composite-skills'] });
    notify(`“${data?.name}” is there: clients ask for ${data?.skillId}.`);
    await navigate({
      to: '/routing/composite-skills/$compositeId',
      params: { compositeId: data?.id ?? '' },
    });
  };
  return (
    <RoutingFrame title="New composite skill">
      <CompositeEditor
        action="Make the composite skill"
        onSave={save}
        onCancel={() => void navigate({ to: '/routing/composite-skills' })}
      />
    </RoutingFrame>
  );
}
