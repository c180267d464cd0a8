"use server";

import { loginByPassword, loginSchema } from "@/lib/auth/login";
import { startSession } from "@/lib/auth/session";
import { action } from "@/lib/http/action";

export const signIn = action(loginSchema, async (ctx, input) => {
  const account = await loginByPassword(ctx.db, { ...input, ip: ctx.clientIp });
  await startSession(account.id);
  return { initialPassword: account.initialPassword };
});
