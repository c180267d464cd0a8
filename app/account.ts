import { formatQuota, type QuotaDisplay } from "@/components/format/quota";
import type { Account } from "@/components/shell/account-menu";
import type { User } from "@/lib/user/types";

export function toAccount(own: User, display: QuotaDisplay): Account {
  return {
    id: own.id,
    username: own.username,
    displayName: own.displayName,
    role: own.role,
    status: own.status,
    group: own.group,
    balance: formatQuota(own.quota, display),
  };
}
