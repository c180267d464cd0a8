import { z } from "zod";
import { budgetFields, concurrencyField, perMinuteField } from "@/lib/limit/schemas";
import { pageShape } from "@/lib/page";
import { seenField } from "@/lib/seen-schema";

/** Two billion dollars at 500,000 a dollar; far below the limit of exact JavaScript integers. */
export const QUOTA_MAX = 1_000_000_000_000_000;

/** Control, invisible formatting and private-use characters and lone surrogates, which users can neither see nor type. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

/** 8–20 characters (contract §13.4). */
export const passwordSchema = z.string("passwordLength").min(8, "passwordLength").max(20, "passwordLength");

/** 1–12 characters. Without "@", so that a name cannot equal another user's e-mail address at sign-in. */
export const usernameSchema = z
  .string("usernameInvalid")
  .trim()
  .normalize("NFC")
  .min(1, "usernameInvalid")
  .max(12, "usernameInvalid")
  .refine((name) => !name.includes("@") && !INVISIBLE.test(name), { message: "usernameCharacters" });

export const displayNameSchema = z
  .string("displayNameTooLong")
  .trim()
  .max(20, "displayNameTooLong")
  .refine((name) => !INVISIBLE.test(name), { message: "displayNameCharacters" });

/** Also accepts older and generated names; a new one is checked by usernameSchema as well. */
const anyUsername = z.string("usernameInvalid").trim().max(64, "usernameInvalid").optional();
const anyDisplayName = z.string("displayNameTooLong").trim().max(64, "displayNameTooLong").optional();

/** An empty password means "unchanged". */
const passwordChange = z.union([z.literal("").transform(() => undefined), passwordSchema]).optional();

/** Absent fields and an empty password stay unchanged. */
export const updateSelfSchema = z.object({
  username: anyUsername,
  displayName: anyDisplayName,
  password: passwordChange,
  /** Replaces a recent proof; checked whenever it is given. */
  originalPassword: z.string("originalPasswordWrong").max(256, "originalPasswordWrong").optional(),
  seen: seenField,
});
export type UpdateSelfInput = z.input<typeof updateSelfSchema>;

export const manageUserSchema = z.object({
  id: z.number("userIdInvalid").int("userIdInvalid").min(1, "userIdInvalid").max(2_147_483_647, "userIdInvalid"),
  action: z.enum(["disable", "enable", "delete", "promote", "demote"], { error: "actionUnknown" }),
});
export type ManageUserInput = z.input<typeof manageUserSchema>;

const needed = z.string("userFieldsMissing").refine((text) => text.trim() !== "", { message: "userFieldsMissing" });

export const createUserSchema = z.object({
  username: needed.pipe(usernameSchema),
  password: needed.pipe(passwordSchema),
  /** Absent or empty: the user name. */
  displayName: displayNameSchema.default(""),
  /** Only compared with the administrator's own role; new accounts are ordinary users. */
  role: z.number("roleInvalid").int("roleInvalid").optional(),
});
export type CreateUserInput = z.input<typeof createUserSchema>;

const quotaSchema = z
  .number("userQuotaInvalid")
  .int("userQuotaInvalid")
  .min(-QUOTA_MAX, "userQuotaInvalid")
  .max(QUOTA_MAX, "userQuotaInvalid");

/** Absent fields and an empty password stay unchanged. */
export const updateUserSchema = z.object({
  id: manageUserSchema.shape.id,
  username: anyUsername,
  displayName: anyDisplayName,
  password: passwordChange,
  group: z.string("groupUnknown").trim().min(1, "groupUnknown").max(64, "groupUnknown").optional(),
  /** The new balance. A changed one must not be negative. */
  quota: quotaSchema.optional(),
  /** Of the balance, the difference to what was seen is applied, so that consumption in the meantime is not undone. */
  seen: seenField,
  /** What the client saw as used; tells which balance it saw where `seen` does not. */
  usedQuotaSeen: quotaSchema.optional(),
  /** Names this change of the balance: sent again, it is not made again. */
  changeId: z.string().min(1).max(64).optional(),
  /** Why the balance is changed; recorded in the audit log. */
  quotaReason: z.string("quotaReasonTooLong").trim().max(200, "quotaReasonTooLong").optional(),
  /** Only compared with the administrator's own role; roles are changed by promote and demote. */
  role: z.number("roleInvalid").int("roleInvalid").optional(),
  concurrencyLimit: concurrencyField.optional(),
  requestsPerMinute: perMinuteField.optional(),
  tokensPerMinute: perMinuteField.optional(),
  budgetDay: budgetFields.budgetDay.optional(),
  budgetWeek: budgetFields.budgetWeek.optional(),
  budgetMonth: budgetFields.budgetMonth.optional(),
});
export type UpdateUserInput = z.input<typeof updateUserSchema>;

export const USER_SORTS = [
  "id",
  "username",
  "group",
  "quota",
  "usedQuota",
  "requestCount",
  "affCount",
  "affHistoryQuota",
] as const;

const text = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((value) => !value.includes("\u0000"))
    .default("");

/** Invalid filters are refused: if they were ignored, everybody would be shown. */
export const userSearchSchema = z.object({
  ...pageShape,
  /** An id, or part of the user name, display name or e-mail address. */
  keyword: text(254),
  /** Exact; empty = every group. */
  group: text(64),
  role: z.number().int().min(0).max(1_000).optional(),
  /** "deleted" finds deregistered accounts; absent = all, including those. */
  status: z.enum(["enabled", "disabled", "deleted"]).optional(),
  sort: z.enum(USER_SORTS).catch("id").default("id"),
  descending: z.boolean().catch(true).default(true),
});
export type UserSearch = z.input<typeof userSearchSchema>;
