import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { nowSeconds } from "@/lib/clock";
import { AppError } from "@/lib/errors";
import type { OptionValues } from "@/lib/option/registry";
import { cleanText, stableId } from "./ask-provider";
import { notConfigured } from "./refusals";
import type { OutsideIdentity } from "./types";

/** The fields of Telegram's login widget that its hash covers. Safe to import in the browser. */
const TELEGRAM_FIELDS = ["id", "first_name", "last_name", "username", "photo_url", "auth_date"] as const;

/** The parameters sent to /api/oauth/telegram/*, where present (A195). */
export const TELEGRAM_QUERY = [...TELEGRAM_FIELDS, "hash", "lang"] as const;

/** The widget hands its data over at once; the rest is for clocks that differ (contract §9.4 allows up to a day). */
const AGE_SECONDS_MAX = 600;
const CLOCK_TOLERANCE_SECONDS = 300;
/** How long a used login is remembered: at least as long as it would be valid. */
export const TELEGRAM_LOGIN_SECONDS = AGE_SECONDS_MAX + CLOCK_TOLERANCE_SECONDS + 60;
const DISPLAY_NAME_MAX = 20;

const field = z.string("telegramSignatureWrong").max(1_000, "telegramSignatureWrong").optional();

/** The fields that the widget signs, and `lang`, which clients add unsigned. */
export const telegramSchema = z.object({
  id: field,
  first_name: field,
  last_name: field,
  username: field,
  photo_url: field,
  auth_date: field,
  hash: field,
  lang: field,
});
export type TelegramLogin = z.output<typeof telegramSchema>;

/** The text that the widget signs: the fields that are present, sorted, one per line. */
export function telegramCheckText(login: TelegramLogin): string {
  return TELEGRAM_FIELDS.flatMap((name) => (login[name] === undefined ? [] : [`${name}=${login[name]}`]))
    .sort()
    .join("\n");
}

function isSignedBy(botToken: string, login: TelegramLogin): boolean {
  const secret = hash("sha256", botToken, "buffer");
  const expected = createHmac("sha256", secret).update(telegramCheckText(login)).digest();
  const given = /^[0-9a-f]{64}$/i.test(login.hash ?? "") ? Buffer.from(login.hash ?? "", "hex") : Buffer.alloc(32);
  return timingSafeEqual(expected, given);
}

/** The identity in the login widget's data. Throws "invalid" unless the bot's token signed it within ten minutes. */
export function identifyByTelegram(options: OptionValues, login: TelegramLogin): OutsideIdentity {
  const botToken = options.TelegramBotToken;
  if (botToken === "") throw notConfigured("telegram");
  const id = /^\d{1,20}$/.test(login.id ?? "") ? stableId(login.id) : null;
  if (id === null || !isSignedBy(botToken, login)) throw new AppError("invalid", "telegramSignatureWrong");
  const age = nowSeconds() - Number(/^\d{1,12}$/.test(login.auth_date ?? "") ? login.auth_date : 0);
  if (age > AGE_SECONDS_MAX || age < -CLOCK_TOLERANCE_SECONDS) throw new AppError("invalid", "telegramTooOld");
  const displayName = cleanText([login.first_name, login.last_name].filter(Boolean).join(" "), DISPLAY_NAME_MAX);
  return { provider: "telegram", id, displayName, preferredUsername: null };
}
