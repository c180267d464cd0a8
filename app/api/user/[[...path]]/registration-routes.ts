import { z } from "zod";
import { type Route, route } from "@/lib/http/route";
import { registerByPassword, resetPassword } from "@/lib/registration/commands";
import { registerSchema, resetPasswordSchema } from "@/lib/registration/schemas";
import { humanQuery } from "./session-routes";

/** Accepts only these fields. The command validates their values after its own checks. */
const register = z.object({
  username: z.string("usernameInvalid").default(""),
  password: z.string("passwordLength").default(""),
  password2: z.string("passwordsDiffer").nullish(),
  email: z.string("emailInvalid").nullish(),
  verification_code: z.string("emailCodeWrong").nullish(),
  aff_code: z.string("inviteCodeInvalid").nullish(),
});

/** Sign-up and password reset by e-mail (contract §1.3). */
export const registrationRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/register",
    access: "public",
    limit: "critical",
    query: humanQuery,
    body: register,
    makes: registerSchema,
    handler: async ({ ctx, query, body }) => {
      const { verification_code: verificationCode, aff_code: affCode, ...same } = body;
      await registerByPassword(ctx, { ...same, verificationCode, affCode, turnstile: query.turnstile });
    },
  }),
  route({
    method: "POST",
    path: "/reset",
    access: "public",
    limit: "critical",
    body: resetPasswordSchema,
    handler: ({ ctx, body }) => resetPassword(ctx, body),
  }),
];
