import { Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { AgentRegistry, budgetsOf } from '../agents/index.js';
import { PrincipalNames } from '../audit/index.js';
import { CurrentPrincipal, hasScope, type Principal } from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { AdminController } from '../common/http/admin-controller.js';
import { AppConfig } from '../config/index.js';
import { HubError } from '../common/hub-error.js';
import { NO_WORKERS, WorkerWatch } from '../database/worker-watch.js';
import { TaskWebhooksService } from '../push/index.js';
import { operatorsView, retryOf, TaskLog, taskNotFound, TaskRetries } from '../tasks/index.js';
import { storyOf } from './domain/task-story.js';
import { awaitsUpdates, type FollowedWebhook } from './domain/webhook-story.js';
import { StoryDto } from './story.dto.js';

/** Webhooks whose progress is told. */
const SHOWN_WEBHOOKS = 20;

/** Why a task became what it is, for operators and teams. */
@AdminController('tasks', 'api/v1/tasks', 'tasks:organization')
export class ExplainController {
  constructor(
    private readonly log: TaskLog,
    private readonly webhooks: TaskWebhooksService,
    private readonly workers: WorkerWatch,
    private readonly clock: Clock,
    private readonly agents: AgentRegistry,
    private readonly config: AppConfig,
    private readonly names: PrincipalNames,
    private readonly retries: TaskRetries,
  ) {}

  @Get(':id/explain')
  @ApiOperation({
    summary:
      'Explain a task in plain sentences: why these agents, what happened, what it waits for.',
    description:
      'No content of messages or artifacts is in it, but the reason that an agent gives for its end. With the scope `tasks:all` the error texts of agents are shown, with `push` its webhooks.',
  })
  @ApiOkResponse({ type: StoryDto })
  async explain(@Param('id') id: string, @CurrentPrincipal() caller: Principal): Promise<StoryDto> {
    const task = await this.log.withoutContents(id, operatorsView(caller));
    if (!task) throw taskNotFound(id);
    const { shown, hasMore } = await this.webhooksOf(id, caller);
    const { principalId, requestMetadata } = task.record;
    // Whoever does not see all tasks is not told what the operators of the hub are called.
    const seesAll = hasScope(caller, 'tasks:all');
    const operator = seesAll ? retryOf(requestMetadata)?.by.principalId : undefined;
    const story = storyOf(task, shown, {
      names: await this.names.of([principalId, ...(operator === undefined ? [] : [operator])]),
      retriedAs: (await this.retries.newestOf([id])).get(id) ?? null,
      now: this.clock.now(),
      seesTroubles: seesAll,
      unworked: this.workers.hasNoWorkers ? NO_WORKERS : null,
      upSince: this.workers.upSince,
      patienceWith: (agentId) => budgetsOf(this.agents.get(agentId), this.config.agents),
    });
    return new StoryDto(id, story, shown.some(awaitsUpdates), hasMore);
  }

  private async webhooksOf(
    taskId: string,
    caller: Principal,
  ): Promise<{ readonly shown: readonly FollowedWebhook[]; readonly hasMore: boolean }> {
    if (!hasScope(caller, 'push')) return { shown: [], hasMore: false };
    const { items, nextCursor } = await this.webhooks.list(
      { taskId },
      SHOWN_WEBHOOKS,
      undefined,
      caller,
    );
    const shown = await Promise.all(
      items.map(({ streamId }) => this.webhooks.get(streamId, caller).catch(unlessDeleted)),
    );
    return { shown: shown.filter((each) => each !== undefined), hasMore: nextCursor !== null };
  }
}

/** A webhook that was deleted since it was listed is told of no more. */
function unlessDeleted(error: unknown): undefined {
  if (error instanceof HubError && error.reason === 'NOT_FOUND') return undefined;
  throw error;
}
