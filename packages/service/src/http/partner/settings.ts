import type { MemberPermission } from '../../domain/member.js';

const taking = <Permission extends MemberPermission>(permission: Permission) =>
  ({ auth: 'partner', permission }) as const;

/** Settings of routes by the permission that they take: of those that only read, and of those that change something. */
export const reading = taking('read');
export const readingRequests = taking('read_requests');
export const readingStatements = taking('read_statements');
export const trading = taking('trade');
export const managingKeys = taking('manage_keys');
export const managingWebhooks = taking('manage_webhooks');
export const managingMembers = taking('manage_members');
