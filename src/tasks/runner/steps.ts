/**
 * The next step of a run. `send`: send the message. `follow`: poll the task the agent has. `unknown`: query
 * whether the agent has received the message. `done`: nothing is left for this run.
 */
export type Step = 'send' | 'follow' | 'unknown' | 'done';
