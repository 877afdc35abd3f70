/** The operations of A2A that the hub calls at agents. */
export type AgentMethod =
  | 'SendMessage'
  | 'SendStreamingMessage'
  | 'GetTask'
  | 'CancelTask'
  | 'ListTasks'
  | 'SubscribeToTask';
