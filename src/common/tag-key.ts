/** Tags are compared without regard to case and outer spaces. */
export function tagKey(tag: string): string {
  return tag.trim().toLowerCase();
}
