import type { User } from "@/lib/user/types";

/** What the form of an account holds while it is being filled in. */
export type UserDraft = {
  username: string;
  displayName: string;
  /** Empty = as it is. */
  password: string;
  group: string;
  /** Quota units as typed. */
  quota: string;
  /** Why the quota is another than before. */
  quotaReason: string;
  /** Requests at the same time; 0 = no limit. */
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

/** A typed number as the whole number that is saved: 12.7 → 12. Null for what is no number. */
export function toWhole(text: string): number | null {
  const value = text.trim() === "" ? 0 : Number(text);
  return Number.isFinite(value) ? Math.trunc(value) : null;
}

/**
 * The command's input; null for a number that is none. The balance travels with the one that the form showed, so that
 * what was consumed meanwhile is not given back.
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
