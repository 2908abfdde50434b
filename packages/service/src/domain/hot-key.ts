/** Keys of the program that are at work every day, which the admin replaces at once. */
export const hotKeyNames = ['operations', 'market', 'compliance', 'service'] as const;
export type HotKeyName = (typeof hotKeyNames)[number];
