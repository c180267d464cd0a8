"use server";

import { refresh } from "next/cache";
import { getLocale } from "next-intl/server";
import { z } from "zod";
import { retryRefusedCharges as retry } from "@/lib/billing/refused-charges-commands";
import { consoleDatabase } from "@/lib/console-database";
import { action } from "@/lib/http/action";
import { errorMessage } from "@/lib/http/message";
import { optionMessage } from "@/lib/http/option-message";
import { revertOption as revert, saveOptions as save } from "@/lib/option/commands";
import { listOptionVersions } from "@/lib/option/queries";
import { historySchema, logMomentSchema, saveOptionsSchema, versionSchema } from "@/lib/option/schemas";
import { isArchiving } from "@/lib/usage-log/archive-status-queries";
import { countLogsBefore } from "@/lib/usage-log/clear-queries";
import { deleteLogs } from "@/lib/usage-log/commands";
import { sendTestMail as sendMail } from "@/lib/user/send-test-mail";

export const saveOptions = action(saveOptionsSchema, async (ctx, { changes }) => {
  const [results, locale] = await Promise.all([save(ctx, changes), getLocale()]);
  refresh();
  return results.map(({ key, error, text }) => ({
    key,
    message: error && optionMessage(error, locale),
    stored: error?.clashes ? String(error.clashes[0]?.stored ?? "") : text,
  }));
});

export const revertOption = action(versionSchema, async (ctx, { id, newest }) => {
  await revert(ctx, id, newest);
  refresh();
});

export const loadHistory = action(historySchema, (ctx, { key, before }) => listOptionVersions(ctx, key, before));

export const countLogs = action(logMomentSchema, (ctx, { until }) => countLogsBefore(ctx, until));

export const clearLogs = action(logMomentSchema, async (ctx, { until }) => ({
  count: await deleteLogs(ctx, until),
  isArchiving: await isArchiving(ctx.sql),
}));

export const retryRefusedCharges = action(z.object({}), async (ctx) => {
  const retried = await retry(ctx, consoleDatabase().sql);
  refresh();
  return retried;
});

export const sendTestMail = action(z.object({}), async (ctx) => {
  const locale = await getLocale();
  const { to, error, answer } = await sendMail(ctx, locale);
  return { to, answer, message: error && errorMessage(error, locale) };
});
