"use server";

import { refresh } from "next/cache";
import { redirect } from "next/navigation";
import { z } from "zod";
import { transferEarnings as transfer, transferEarningsSchema } from "@/lib/affiliate/commands";
import { endSession, startSession } from "@/lib/auth/session";
import { ROLE, requireRole } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { action } from "@/lib/http/action";
import { bindEmail as bind } from "@/lib/registration/commands";
import { bindEmailSchema } from "@/lib/registration/schemas";
import { getSelf } from "@/lib/user/queries";
import { updateSelfSchema } from "@/lib/user/schemas";
import {
  createAccessToken as makeAccessToken,
  deleteSelf as remove,
  updateSelf as update,
} from "@/lib/user/self-commands";

const nothing = z.undefined();

/** A new password ends every session of the account, so this browser gets a new one. */
export const updateSelf = action(updateSelfSchema, async (ctx, input) => {
  const { passwordChanged } = await update(ctx, input);
  if (passwordChanged) await startSession(requireRole(ctx, ROLE.user).id);
  refresh();
});

export const transferEarnings = action(transferEarningsSchema, async (ctx, input) => {
  await transfer(ctx, input);
  refresh();
});

export const bindEmail = action(
  bindEmailSchema,
  async (ctx, input) => {
    await bind(ctx, input);
    refresh();
  },
  { limit: "critical" },
);

export const createAccessToken = action(nothing, (ctx) => makeAccessToken(ctx));

const deletion = z.object({ username: z.string() });

/** The username must be typed in so that nobody deletes an account by accident. */
export const deleteSelf = action(deletion, async (ctx, { username }) => {
  const own = await getSelf(ctx);
  if (username !== own.username) throw new AppError("invalid", "deleteNameMismatch", { field: "username" });
  await remove(ctx);
  await endSession();
  redirect("/login");
});
