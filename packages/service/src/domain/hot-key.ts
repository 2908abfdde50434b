/** Roles of the program whose keys the admin replaces at once. */
export const hotKeyRoles = ['operations', 'market', 'compliance', 'service-signer'] as const;
export type HotKey = (typeof hotKeyRoles)[number];
