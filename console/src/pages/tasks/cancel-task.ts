import { callA2a } from '../../api/a2a';
import { client } from '../../api/client';

/** Cancels a task as an operator, who may say why, or as its client. */
export async function cancelTask(
  id: string,
  { asOperator, reason }: { readonly asOperator: boolean; readonly reason: string },
): Promise<void> {
  if (!asOperator) {
    await callA2a('CancelTask', { id });
    return;
  }
  const why = reason.trim();
  await client.POST('/api/v1/tasks/{id}:cancel', {
    params: { path: { id } },
    body: why === '' ? {} : { reason: why },
  });
}
