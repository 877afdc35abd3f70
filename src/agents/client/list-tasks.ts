import {
  type ListTasksRequest,
  type ListTasksResponse,
  Role,
  type Task,
  TaskState,
} from '../../protocol/a2a.js';

/** Pages of ListTasks looked through for a message, and tasks per page. */
const LIST_PAGES = 5;
const LIST_PAGE_SIZE = 100;
/** The messages of each that are asked for, and what LangGraph has at most: it refuses more. */
export const LIST_HISTORY = 100;
export const SHORT_LIST_HISTORY = 10;

/** Tasks with a message of the client of this id in their history, of the first pages. */
export async function tasksWithMessage(
  messageId: string,
  pageAt: (pageToken: string) => Promise<ListTasksResponse>,
): Promise<Task[]> {
  const found: Task[] = [];
  let pageToken = '';
  for (let page = 0; page < LIST_PAGES; page++) {
    const answer = await pageAt(pageToken);
    found.push(
      ...answer.tasks.filter((task) =>
        task.history.some(
          (message) => message.role === Role.ROLE_USER && message.messageId === messageId,
        ),
      ),
    );
    if (answer.nextPageToken === '') break;
    pageToken = answer.nextPageToken;
  }
  return found;
}

export function listRequest(
  tenant: string,
  contextId: string,
  pageToken: string,
  historyLength: number,
): ListTasksRequest {
  return {
    tenant,
    contextId,
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageSize: LIST_PAGE_SIZE,
    pageToken,
    historyLength,
    statusTimestampAfter: undefined,
    includeArtifacts: false,
  };
}
