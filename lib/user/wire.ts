import { toWireBudgets } from "@/lib/limit/wire";
import type { User } from "./types";

/** An account in the /api format (contract §1.6). */
export function toWireUser(user: User) {
  return {
    id: user.id,
    username: user.username,
    password: "",
    display_name: user.displayName,
    role: user.role,
    status: user.status,
    email: user.email ?? "",
    github_id: user.githubId ?? "",
    oidc_id: user.oidcId ?? "",
    wechat_id: user.wechatId ?? "",
    telegram_id: user.telegramId ?? "",
    linux_do_id: user.linuxDoId ?? "",
    group: user.group,
    quota: user.quota,
    used_quota: user.usedQuota,
    request_count: user.requestCount,
    concurrency_limit: user.concurrencyLimit,
    requests_per_minute: user.requestsPerMinute,
    tokens_per_minute: user.tokensPerMinute,
    ...toWireBudgets(user),
    aff_code: user.affCode ?? "",
    aff_count: user.affCount,
    aff_quota: user.affQuota,
    aff_history_quota: user.affHistoryQuota,
    inviter_id: user.inviterId ?? 0,
    setting: JSON.stringify(user.setting),
    DeletedAt: user.deletedAt?.toISOString() ?? null,
  };
}

/** The fields of the signed-in user that clients store. */
export function toWireSignedIn(user: {
  id: number;
  username: string;
  displayName: string;
  role: number;
  status: number;
  group: string;
}) {
  return {
    id: user.id,
    username: user.username,
    display_name: user.displayName,
    role: user.role,
    status: user.status,
    group: user.group,
  };
}
