import { Shown } from '../common/http/fields.js';
import { fill } from '../common/http/view.js';
import { type Story, STORY_SUBJECTS, type StoryEntry, type StorySubject } from './domain/story.js';

export class StoryEntryDto {
  @Shown.Time()
  readonly at!: string;

  @Shown.Choice(STORY_SUBJECTS)
  readonly about!: StorySubject;

  @Shown.Text({ example: 'Translator (translator) took it after 120 ms.' })
  readonly text!: string;

  constructor(entry: StoryEntry) {
    fill<StoryEntryDto>(this, entry);
  }
}

export class StoryDto {
  @Shown.Text()
  readonly taskId: string;

  @Shown.Text({
    description: 'How the task stands, or how it ended and why.',
    example:
      'The task failed after 3.2 s. Translator (translator) failed: it could not be reached.',
  })
  readonly summary: string;

  @Shown.Text({
    nullable: true,
    description: 'What has to happen before it goes on; null once it has ended.',
  })
  readonly waitsFor: string | null;

  @Shown.Nested(() => StoryEntryDto, { list: true, description: 'What happened, by time.' })
  readonly entries: readonly StoryEntryDto[];

  @Shown.Flag({
    description:
      'A webhook that is shown here may get further updates of what has happened: some are pending or retried, or entries of the log are not processed yet.',
  })
  readonly hasPendingUpdates: boolean;

  @Shown.Flag({
    description: 'More webhooks than are shown here receive its updates: list them by taskId.',
  })
  readonly hasMoreWebhooks: boolean;

  constructor(
    taskId: string,
    { summary, waitsFor, entries }: Story,
    hasPendingUpdates: boolean,
    hasMoreWebhooks: boolean,
  ) {
    this.taskId = taskId;
    this.summary = summary;
    this.waitsFor = waitsFor;
    this.entries = entries.map((each) => new StoryEntryDto(each));
    this.hasPendingUpdates = hasPendingUpdates;
    this.hasMoreWebhooks = hasMoreWebhooks;
  }
}
