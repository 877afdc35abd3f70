import { Inject, Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/index.js';
import { HubSettings } from '../../database/hub-settings.js';
import { visibilityOf, type Visibility } from '../../auth/index.js';
import { invalidField } from '../../common/hub-error.js';
import { DEFAULT_PAGE_SIZE, type Page } from '../../common/page.js';
import { TaskState, type ListTasksRequest, type ListTasksResponse } from '../../protocol/a2a.js';
import type { CallContext } from '../../auth/index.js';
import { PageTokens } from './page-token.js';
import {
  type FoundTask,
  type ReserveBytes,
  type TaskFilter,
  type TaskPage,
  type TaskSearch,
  TaskStore,
} from '../store/task-store.js';
import { viewTask } from './task-view.js';

/**
 * The parameters of ListTasks, checked by the bindings; a page size of 0 is none. The agent of the request
 * comes with the call's context.
 */
export type ListParams = Partial<Omit<ListTasksRequest, 'tenant'>>;

/** Lists of tasks: ListTasks of A2A §3.1.4, and what operators look for. */
@Injectable()
export class TaskLists {
  private tokens: PageTokens | undefined;

  constructor(
    private readonly store: TaskStore,
    @Inject(HubSettings) private readonly settings: Pick<HubSettings, 'pageTokenSecret'>,
    @Inject(AppConfig)
    private readonly config: { readonly tasks: Pick<AppConfig['tasks'], 'historyLimit'> },
  ) {}

  /** One page, newest status first. Throws INVALID_PARAMS for a token that is none of this list. */
  async list(params: ListParams, ctx: CallContext): Promise<ListTasksResponse> {
    const pageSize = params.pageSize || DEFAULT_PAGE_SIZE;
    const filter = readFilter(params, ctx.agentId);
    const visibility = visibilityOf(ctx.principal);
    const { pageToken } = params;
    const reserve = ctx.reserveAnswer;
    const page = await this.page(filter, visibility, pageSize, pageToken, reserve);
    const view = {
      historyLength: params.historyLength,
      includeArtifacts: params.includeArtifacts === true,
    };
    return {
      tasks: page.tasks.map(({ task }) => viewTask(task, view, this.config.tasks.historyLimit)),
      nextPageToken: page.nextPageToken ?? '',
      pageSize,
      totalSize: page.totalSize,
    };
  }

  /**
   * What operators look for, as the hub has it, without contents. A page may have fewer tasks than asked for, or none, and be followed by
   * others: one page looks at a bounded number of tasks.
   */
  async search(
    search: TaskSearch,
    visibility: Visibility,
    limit: number,
    cursor: string | undefined,
    reserve?: ReserveBytes,
  ): Promise<Page<FoundTask>> {
    const tokens = await this.pageTokens();
    // What is stuck goes by the time of each page.
    const scope = { ...search, stuckSince: search.stuckSince !== undefined, visibility };
    const after = cursor === undefined ? null : tokens.read(cursor, scope, 'cursor');
    const { tasks, next } = await this.store.search(search, visibility, limit, after, reserve);
    return { items: tasks, nextCursor: next && tokens.issue(next, scope) };
  }

  private async pageTokens(): Promise<PageTokens> {
    return (this.tokens ??= new PageTokens(await this.settings.pageTokenSecret()));
  }

  private async page(
    filter: TaskFilter,
    visibility: Visibility,
    limit: number,
    token: string | undefined,
    reserve: ReserveBytes | undefined,
  ): Promise<TaskPage & { readonly nextPageToken: string | null }> {
    const tokens = await this.pageTokens();
    const scope = {
      contextId: filter.contextId ?? null,
      state: filter.state ?? null,
      statusAfter: filter.statusAfter?.getTime() ?? null,
      agentId: filter.agentId ?? null,
      visibility,
    };
    const after = token ? tokens.read(token, scope, 'pageToken') : null;
    const page = await this.store.list(filter, visibility, limit, after, reserve);
    return { ...page, nextPageToken: page.next && tokens.issue(page.next, scope) };
  }
}

function readFilter(params: ListParams, agentId: string | undefined): TaskFilter {
  return {
    ...(params.contextId && { contextId: params.contextId }),
    ...(params.status && { state: readState(params.status) }),
    ...(params.statusTimestampAfter && { statusAfter: readTime(params.statusTimestampAfter) }),
    ...(agentId !== undefined && { agentId }),
  };
}

function readState(state: TaskState): TaskState {
  if (state > TaskState.TASK_STATE_UNSPECIFIED && TaskState[state] !== undefined) return state;
  throw invalidField('status', 'is not a task state');
}

/** A digit below the millisecond that counts. */
const FINER = /\.\d{3}\d*[1-9]/;

/** To the millisecond, upwards: a time of the hub, which knows no finer ones, is at or after it. */
function readTime(text: string): Date {
  const time = Date.parse(text);
  return new Date(FINER.test(text) ? time + 1 : time);
}
