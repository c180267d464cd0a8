import type { User } from "@/lib/user/types";

/** The user form's fields as entered. */
export type UserDraft = {
  username: string;
  displayName: string;
  /** Empty = unchanged. */
  password: string;
  group: string;
  /** Quota units. */
  quota: string;
  /** Reason for a changed quota. */
  quotaReason: string;
  /** Maximum concurrent requests; 0 = no limit. */
  concurrencyLimit: string;
};

export function toUserDraft(user: User): UserDraft {
  return {
    username: user.username,
    displayName: user.displayName,
    password: "",
    group: user.group,
    quota: String(user.quota),
    quotaReason: "",
    concurrencyLimit: String(user.concurrencyLimit),
  };
}

/** Parses a number and truncates it: 12.7 → 12; an empty text is 0. Null if it is no number. */
export function toWhole(text: string): number | null {
  const value = text.trim() === "" ? 0 : Number(text);
  return Number.isFinite(value) ? Math.trunc(value) : null;
}

/**
 * The input of the server action; null if a number is invalid. Includes the quota that the form showed (`quotaSeen`), so that
 * saving does not give back what was consumed meanwhile.
 */
export function toUserInput(user: User, draft: UserDraft) {
  const quota = toWhole(draft.quota);
  const concurrencyLimit = toWhole(draft.concurrencyLimit);
  if (quota === null || concurrencyLimit === null) return null;
  return {
    id: user.id,
    username: draft.username.trim(),
    displayName: draft.displayName.trim(),
    password: draft.password,
    group: draft.group,
    quota,
    quotaSeen: user.quota,
    ...(quota === user.quota ? {} : { quotaReason: draft.quotaReason.trim() }),
    concurrencyLimit,
  };
}

export type UserInput = NonNullable<ReturnType<typeof toUserInput>>;
