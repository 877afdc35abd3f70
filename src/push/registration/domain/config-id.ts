/** How the config ids begin that the hub gives for subscriptions. */
const OF_SUBSCRIPTION = 'subscription:';

/** The config id, in each task, of a subscription that receives its events. */
export function subscriptionConfigId(subscriptionId: string): string {
  return OF_SUBSCRIPTION + subscriptionId;
}

/** Whether a config id is of the kind that clients must not choose: both share one name space in a task. */
export function isSubscriptionConfigId(configId: string): boolean {
  return configId.startsWith(OF_SUBSCRIPTION);
}
