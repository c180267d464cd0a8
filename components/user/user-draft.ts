import { toLimits, toLimitTexts } from "@/components/form/limit-texts";
import type { User } from "@/lib/user/types";

/** The limits of which 0 means none. */
export const USER_LIMITS = ["requestsPerMinute", "tokensPerMinute", "budgetDay", "budgetWeek", "budgetMonth"] as const;

/** The user form's fields as entered. */
export type UserDraft = Record<(typeof USER_LIMITS)[number], string> & {
  username: string;
  displayName: string;
  /** Empty = unchanged. */
  password: string;
  group: string;
  /** Quota units; NO_AMOUNT for an amount that cannot be read. */
  quota: string;
  /** Reason for a changed quota. */
  quotaReason: string;
  /** Maximum concurrent requests; 0 = no limit. */
  concurrencyLimit: string;
};

export function toUserDraft(user: User | null): UserDraft {
  return {
    username: user?.username ?? "",
    displayName: user?.displayName ?? "",
    password: "",
    group: user?.group ?? "",
    quota: String(user?.quota ?? 0),
    quotaReason: "",
    concurrencyLimit: String(user?.concurrencyLimit ?? 0),
    ...toLimitTexts(USER_LIMITS, user),
  };
}

/** Parses a number and truncates it: 12.7 → 12; an empty text is 0. Null if it is no number. */
export function toWhole(text: string): number | null {
  const value = text.trim() === "" ? 0 : Number(text);
  return Number.isFinite(value) ? Math.trunc(value) : null;
}

/** The input of the server action; null if a number is invalid. */
export function toUserInput(draft: UserDraft) {
  const quota = draft.quota.trim() === "" ? null : toWhole(draft.quota);
  const concurrencyLimit = toWhole(draft.concurrencyLimit);
  if (quota === null || concurrencyLimit === null) return null;
  return {
    username: draft.username.trim(),
    displayName: draft.displayName.trim(),
    password: draft.password,
    group: draft.group,
    quota,
    quotaReason: draft.quotaReason.trim(),
    concurrencyLimit,
    ...toLimits(USER_LIMITS, draft),
  };
}

export type UserInput = NonNullable<ReturnType<typeof toUserInput>>;
