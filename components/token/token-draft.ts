import { splitList } from "@/components/form/split-list";
import { toLocalField } from "@/components/format/local-field";
import type { Token } from "@/lib/token/types";

/** What the token form holds while it is being filled in. */
export type TokenDraft = {
  name: string;
  quota: string;
  unlimited: boolean;
  /** Local time as a datetime-local field has it, empty = never. */
  expires: string;
  group: string;
  limitModels: boolean;
  models: string[];
  allowIps: string;
  denyIps: string;
};

const NEW_TOKEN_QUOTA = "500000";

export function toDraft(token: Token | null): TokenDraft {
  return {
    name: token?.name ?? "",
    quota: token ? String(token.remainQuota) : NEW_TOKEN_QUOTA,
    unlimited: token?.unlimitedQuota ?? false,
    expires: token && token.expiredTime !== -1 ? toLocalField(token.expiredTime) : "",
    group: token?.group ?? "",
    limitModels: token?.modelLimitsEnabled ?? false,
    models: splitList(token?.modelLimits ?? ""),
    allowIps: token?.allowIps ?? "",
    denyIps: token?.denyIps ?? "",
  };
}

/** The command's input; null for an expiry that is not a date. */
export function toTokenInput(draft: TokenDraft) {
  const expiredTime = draft.expires === "" ? -1 : Math.ceil(new Date(draft.expires).getTime() / 1000);
  if (Number.isNaN(expiredTime)) return null;
  return {
    name: draft.name.trim(),
    remainQuota: Number(draft.quota || 0),
    unlimitedQuota: draft.unlimited,
    expiredTime,
    group: draft.group,
    modelLimitsEnabled: draft.limitModels,
    modelLimits: draft.models.join(","),
    allowIps: draft.allowIps,
    denyIps: draft.denyIps,
  };
}

export type TokenInput = NonNullable<ReturnType<typeof toTokenInput>>;

/** The field value for so many seconds from now. */
export function fromNow(seconds: number): string {
  return toLocalField(Math.ceil(Date.now() / 1000) + seconds);
}
