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
    description: 'More webhooks than are shown here receive its updates: list them by taskId.',
  })
  readonly hasMoreWebhooks: boolean;

  constructor(taskId: string, { summary, waitsFor, entries }: Story, hasMoreWebhooks: boolean) {
    this.taskId = taskId;
    this.summary = summary;
    this.waitsFor = waitsFor;
    this.entries = entries.map((each) => new StoryEntryDto(each));
    this.hasMoreWebhooks = hasMoreWebhooks;
  }
}
