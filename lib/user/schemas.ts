import { z } from "zod";

/** 8–20 characters (contract §13.4). */
const passwordSchema = z.string("passwordLength").min(8, "passwordLength").max(20, "passwordLength");
const usernameSchema = z.string("usernameInvalid").trim().min(1, "usernameInvalid").max(12, "usernameInvalid");

/** Fields that are left out (or an empty password) stay as they are. */
export const updateSelfSchema = z.object({
  username: usernameSchema.optional(),
  displayName: z.string().trim().max(20, "displayNameTooLong").optional(),
  password: z.union([z.literal("").transform(() => undefined), passwordSchema]).optional(),
  /** Checked when given. */
  originalPassword: z.string().max(256).optional(),
});
export type UpdateSelfInput = z.input<typeof updateSelfSchema>;

export const manageUserSchema = z.object({
  id: z.number().int(),
  action: z.enum(["disable", "enable", "delete", "promote", "demote"], { error: "actionUnknown" }),
});
export type ManageUserInput = z.input<typeof manageUserSchema>;
