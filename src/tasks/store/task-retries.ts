/** The tasks that retry others at the request of an operator. */
export abstract class TaskRetries {
  /** The newest retry of each of these tasks, for the same owner; those without one are left out. */
  abstract newestOf(taskIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
