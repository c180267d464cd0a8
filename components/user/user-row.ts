import type { UserListItem } from "@/lib/user/types";

export type UserRow = {
  id: number;
  username: string;
  displayName: string;
  group: string;
  quota: number;
  usedQuota: number;
  requestCount: number;
  affCount: number;
  affHistoryQuota: number;
  inviterId: number | null;
  inviterUsername: string | null;
  role: number;
  status: number;
  deleted: boolean;
};

export function toUserRow(user: UserListItem): UserRow {
  return {
    id: user.id,
    username: user.username,
    displayName: user.displayName,
    group: user.group,
    quota: user.quota,
    usedQuota: user.usedQuota,
    requestCount: user.requestCount,
    affCount: user.affCount,
    affHistoryQuota: user.affHistoryQuota,
    inviterId: user.inviterId,
    inviterUsername: user.inviterUsername,
    role: user.role,
    status: user.status,
    deleted: user.deletedAt !== null,
  };
}
