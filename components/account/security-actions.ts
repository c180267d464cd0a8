"use server";

import { refresh } from "next/cache";
import { headers } from "next/headers";
import { z } from "zod";
import { passkeyNameSchema, registrationResponseSchema } from "@/lib/auth/passkey";
import {
  finishPasskeyRegistration,
  deletePasskey as remove,
  renamePasskey as rename,
  startPasskeyRegistration,
} from "@/lib/auth/passkey-commands";
import { relyingPartyOf } from "@/lib/auth/relying-party";
import { revokeOtherSessions as revokeOthers, revokeOwnSession } from "@/lib/auth/session-commands";
import {
  disableTotp as disable,
  enableTotp as enable,
  renewRecoveryCodes as renew,
  startTotpSetup as startSetup,
} from "@/lib/auth/totp-commands";
import { action } from "@/lib/http/action";
import { seenField } from "@/lib/seen-schema";

const nothing = z.object({});
const passkeyId = z.string().min(1, "passkeyNotFound").max(2_048, "passkeyNotFound");
const codeSchema = z.object({ code: z.string().trim().min(1, "factorCodeMissing").max(64, "factorCodeWrong") });

export const startTotpSetup = action(nothing, (ctx) => startSetup(ctx));

/** No refresh here: the page shows the recovery codes until the user closes them. */
export const enableTotp = action(codeSchema, (ctx, input) => enable(ctx, input));

export const renewRecoveryCodes = action(nothing, (ctx) => renew(ctx));

export const disableTotp = action(nothing, async (ctx) => {
  await disable(ctx);
  refresh();
});

export const startPasskey = action(nothing, async (ctx) =>
  startPasskeyRegistration(ctx, await relyingPartyOf(ctx.db, await headers())),
);

export const finishPasskey = action(
  z.object({ name: passkeyNameSchema, response: registrationResponseSchema }),
  async (ctx, input) => {
    await finishPasskeyRegistration(ctx, await relyingPartyOf(ctx.db, await headers()), input);
    refresh();
  },
);

export const renamePasskey = action(
  z.object({ id: passkeyId, name: passkeyNameSchema, seen: seenField }),
  async (ctx, input) => {
    await rename(ctx, input);
    refresh();
  },
);

export const deletePasskey = action(z.object({ id: passkeyId }), async (ctx, input) => {
  await remove(ctx, input);
  refresh();
});

export const revokeSession = action(z.object({ id: z.uuid("sessionNotFound") }), async (ctx, input) => {
  await revokeOwnSession(ctx, input);
  refresh();
});

export const revokeOtherSessions = action(nothing, async (ctx) => {
  const count = await revokeOthers(ctx);
  refresh();
  return { count };
});
