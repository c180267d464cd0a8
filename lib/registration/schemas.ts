import { z } from "zod";
import { LOCALES } from "@/lib/i18n/locale";
import { passwordSchema, usernameSchema } from "@/lib/user/schemas";

const locale = z.enum(LOCALES);
/** Only used when the human check is on; requireHuman reports its errors. */
const turnstile = z.string("turnstileFailed").optional();
const email = z.string("emailMissing").trim().min(1, "emailMissing").max(254, "emailInvalid");

/** A request for an e-mail, in the language of the request. */
export const mailRequestSchema = z.object({ email, turnstile, locale });
export type MailRequestInput = z.input<typeof mailRequestSchema>;

export const resetPasswordSchema = z.object({
  email: z.string("resetLinkInvalid").trim().toLowerCase().min(1, "resetLinkInvalid").max(254, "resetLinkInvalid"),
  token: z.string("resetLinkInvalid").min(1, "resetLinkInvalid").max(256, "resetLinkInvalid"),
});
export type ResetPasswordInput = z.input<typeof resetPasswordSchema>;

export const registerSchema = z
  .object({
    username: usernameSchema,
    password: passwordSchema,
    /** Compared when given; the screens compare it as well. */
    password2: z.string("passwordsDiffer").nullish(),
    /** These two are only used when e-mail verification is on: an unverified address is never stored. */
    email: z.string("emailInvalid").max(254, "emailInvalid").nullish(),
    verificationCode: z.string("emailCodeWrong").trim().max(64, "emailCodeWrong").nullish(),
    affCode: z.string("inviteCodeInvalid").trim().max(32, "inviteCodeInvalid").nullish(),
  })
  .refine(({ password, password2 }) => !password2 || password2 === password, {
    message: "passwordsDiffer",
    path: ["password2"],
  });
export type RegisterInput = z.input<typeof registerSchema>;

export const bindEmailSchema = z.object({
  email,
  code: z.string("emailCodeMissing").trim().min(1, "emailCodeMissing").max(64, "emailCodeWrong"),
});
export type BindEmailInput = z.input<typeof bindEmailSchema>;
