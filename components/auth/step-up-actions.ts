"use server";

import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { authenticationResponseSchema } from "@/lib/auth/passkey";
import { relyingPartyOf } from "@/lib/auth/relying-party";
import { endSession } from "@/lib/auth/session";
import {
  confirmByCode,
  confirmByPassword,
  finishPasskeyConfirmation,
  listStepUpKinds,
  startPasskeyConfirmation,
} from "@/lib/auth/step-up-commands";
import { action } from "@/lib/http/action";

const nothing = z.object({});
const passwordSchema = z.object({
  password: z.string().min(1, "confirmPasswordWrong").max(256, "confirmPasswordWrong"),
});
const codeSchema = z.object({ code: z.string().trim().min(1, "factorCodeMissing").max(64, "factorCodeWrong") });

export const stepUpKinds = action(nothing, (ctx) => listStepUpKinds(ctx));

export const stepUpByPassword = action(passwordSchema, confirmByPassword);

export const stepUpByCode = action(codeSchema, confirmByCode);

export const startPasskeyStepUp = action(nothing, async (ctx) =>
  startPasskeyConfirmation(ctx, await relyingPartyOf(ctx.db, await headers())),
);

export const finishPasskeyStepUp = action(z.object({ response: authenticationResponseSchema }), async (ctx, input) =>
  finishPasskeyConfirmation(ctx, await relyingPartyOf(ctx.db, await headers()), input),
);

/** Ends the session and opens the sign-in page. */
export const signInAgain = action(z.void(), async () => {
  await endSession();
  redirect("/login");
});
