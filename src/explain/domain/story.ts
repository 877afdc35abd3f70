/** What a sentence of a story is about. */
export const STORY_SUBJECTS = ['task', 'route', 'agent', 'webhook'] as const;
export type StorySubject = (typeof STORY_SUBJECTS)[number];

/** One thing that happened, for people. */
export interface StoryEntry {
  readonly at: Date;
  readonly about: StorySubject;
  /** One sentence, or few. */
  readonly text: string;
}

/** What became of a task and why. */
export interface Story {
  /** How it stands, or how it ended and why. */
  readonly summary: string;
  /** What has to happen before it goes on; null once it has ended. */
  readonly waitsFor: string | null;
  /** By time; what happened at the same time in the order of its causes. */
  readonly entries: readonly StoryEntry[];
}
