"use server";

import { headers } from "next/headers";
import { getLocale } from "next-intl/server";
import { z } from "zod";
import { loginByPassword, loginSchema } from "@/lib/auth/login";
import { authenticationResponseSchema } from "@/lib/auth/passkey";
import { finishPasskeyLogin, startPasskeyLogin } from "@/lib/auth/passkey-proof-commands";
import type { AccountRow } from "@/lib/auth/queries";
import { relyingPartyOf } from "@/lib/auth/relying-party";
import { getContext, startSession } from "@/lib/auth/session";
import type { SignInMethod } from "@/lib/auth/session-commands";
import { loginByCode } from "@/lib/auth/ticket-commands";
import type { ServiceContext } from "@/lib/context";
import { action } from "@/lib/http/action";
import { requireSameUser } from "@/lib/http/page-user";
import { keepLanguage } from "@/lib/notify/language-commands";
import { requireHuman } from "@/lib/registration/turnstile";

const ticket = z.string("ticketInvalid").max(128, "ticketInvalid");
const signInSchema = loginSchema.extend({ turnstile: z.string().max(4_096).optional() });
const codeSchema = z.object({
  ticket,
  code: z.string("factorCodeMissing").trim().min(1, "factorCodeMissing").max(64, "factorCodeWrong"),
});
const passkeySchema = z.object({ ticket: ticket.optional(), response: authenticationResponseSchema });

async function enter(account: AccountRow, method: SignInMethod) {
  requireSameUser(await headers(), account);
  await startSession(account.id, method);
  const [locale, { db }] = await Promise.all([getLocale(), getContext()]);
  await keepLanguage(db, account.id, { locale, isChosen: false });
  return { step: "done" as const, initialPassword: account.initialPassword };
}

async function partyOf(ctx: ServiceContext) {
  return relyingPartyOf(ctx.db, await headers());
}

export const signIn = action(
  signInSchema,
  async (ctx, { turnstile, ...input }) => {
    const human = await requireHuman(ctx, turnstile);
    const step = await loginByPassword(ctx.db, { ...input, ip: ctx.clientIp, human });
    if (step.done) return enter(step.account, "password");
    return { step: "factor" as const, ticket: step.ticket.ticket, passkey: step.ticket.methods.includes("passkey") };
  },
  { limit: "critical", fromAnyPage: true },
);

export const signInByCode = action(
  codeSchema,
  async (ctx, input) => enter(await loginByCode(ctx.db, { ...input, clientIp: ctx.clientIp }), "password"),
  { limit: "critical", fromAnyPage: true },
);

export const startPasskey = action(
  z.object({ ticket: ticket.optional() }),
  async (ctx, input) => startPasskeyLogin(ctx.db, await partyOf(ctx), { ticket: input.ticket, clientIp: ctx.clientIp }),
  { fromAnyPage: true },
);

export const signInByPasskey = action(
  passkeySchema,
  async (ctx, input) => {
    const account = await finishPasskeyLogin(ctx.db, await partyOf(ctx), input);
    return enter(account, input.ticket === undefined ? "passkey" : "password");
  },
  { limit: "critical", fromAnyPage: true },
);
