import { z } from "zod";
import { incrementCounter } from "@/lib/auth/commands";
import type { ServiceContext } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import { egressFetch } from "@/lib/egress";
import { env } from "@/lib/env";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import { loadOptions } from "@/lib/option/queries";

const TIMEOUT_MS = 5_000;
const TOKEN_LENGTH_MAX = 2_048;
/** Tokens are valid for 300 s at the service; used ones are stored longer than that. */
const REMEMBERED_SECONDS = 900;

const verdictSchema = z.object({ success: z.boolean() });

/**
 * The human check before sign-in, sign-up and e-mails, where TurnstileCheckEnabled is on (contract §9.4). A token is
 * valid for one call. Throws invalid for a missing, used or refused token, and upstream when the service does not
 * respond, so that nobody passes unchecked. Returns whether there was a check to pass.
 */
export async function requireHuman(ctx: ServiceContext, token: string | undefined): Promise<boolean> {
  const options = await loadOptions(ctx.db);
  if (!options.TurnstileCheckEnabled) return false;
  const given = token?.trim() ?? "";
  if (given === "") throw new AppError("invalid", "turnstileEmpty");
  if (given.length > TOKEN_LENGTH_MAX) throw new AppError("invalid", "turnstileFailed");
  const { count } = await incrementCounter(ctx.db, `turnstile:${sha256Hex(given)}`, REMEMBERED_SECONDS);
  if (count > 1) throw new AppError("invalid", "turnstileFailed");
  if (!(await askService(options.TurnstileSecretKey, given, ctx.clientIp))) {
    throw new AppError("invalid", "turnstileFailed");
  }
  return true;
}

async function askService(secret: string, response: string, clientIp: string): Promise<boolean> {
  const form = new URLSearchParams({ secret, response });
  if (clientIp !== "") form.set("remoteip", clientIp);
  const answer = await post(form.toString());
  try {
    return verdictSchema.parse(JSON.parse(answer)).success;
  } catch (error) {
    logger.error({ err: error }, "the Turnstile service gave no verdict");
    throw new AppError("upstream", "turnstileUnreachable", {}, error);
  }
}

async function post(body: string): Promise<string> {
  try {
    const reply = await egressFetch(env().WEIR_TURNSTILE_URL, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body,
      timeoutMs: TIMEOUT_MS,
      // The URL comes from the environment, so the operator has chosen it.
      trust: "operator",
    });
    return reply.body.toString("utf8");
  } catch (error) {
    logger.error({ err: error }, "the Turnstile service cannot be reached");
    throw new AppError("upstream", "turnstileUnreachable", {}, error);
  }
}
