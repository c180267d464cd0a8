import type { Sql } from "@/db/client";
import { LOCALES, type Locale } from "@/lib/i18n/locale";
import { logger } from "@/lib/logger";
import type { OptionValues } from "@/lib/option/registry";
import {
  type ClaimedDelivery,
  claimDeliveries,
  dropDelivery,
  loadDeliveryOptions,
  markFailed,
  markSent,
} from "./delivery-commands";
import { DeliveryError, toDeliveryError } from "./delivery-error";
import { isNotificationEvent } from "./events";
import { toMessage } from "./message";
import { sendMessage } from "./senders/send-message";
import type { SendMail } from "./senders/sender";
import { openConfig } from "./target-config";
import { isTargetKind } from "./target-kinds";

const BATCH = 20;

type LanguageOptions = Pick<OptionValues, "DefaultLanguage">;

/** The language of messages to a user: the user's own, else the site's. */
export function languageOf(setting: Record<string, unknown>, { DefaultLanguage }: LanguageOptions): Locale {
  return LOCALES.find((locale) => locale === setting.language) ?? DefaultLanguage;
}

/**
 * Sends all due deliveries in batches. At least once: a delivery whose worker dies after sending is sent again with the
 * same delivery id. Returns the number of claimed deliveries.
 */
export async function deliverDue(sql: Sql, sendMail: SendMail): Promise<number> {
  let count = 0;
  for (;;) {
    const batch = await claimDeliveries(sql, BATCH);
    if (batch.length === 0) return count;
    count += batch.length;
    const options = await loadDeliveryOptions(sql);
    await Promise.all(batch.map((delivery) => deliver(sql, delivery, options, sendMail)));
  }
}

async function deliver(sql: Sql, delivery: ClaimedDelivery, options: OptionValues, sendMail: SendMail): Promise<void> {
  if (!delivery.targetEnabled) return dropDelivery(sql, delivery.id);
  try {
    await send(delivery, options, sendMail);
  } catch (thrown) {
    const error = toDeliveryError(thrown);
    const { id, kind, attempts } = delivery;
    if (error.messageKey === "internal") logger.error({ err: thrown, delivery: id, kind }, "a notification failed");
    const givenUp = await markFailed(sql, delivery, error);
    if (givenUp) logger.warn({ delivery: id, kind, attempts, reason: error.messageKey }, "a notification was given up");
    return;
  }
  await markSent(sql, delivery);
}

async function send(delivery: ClaimedDelivery, options: OptionValues, sendMail: SendMail): Promise<void> {
  const { id, kind, event, params, createdAt, email, setting } = delivery;
  // Written by another version of Weir.
  if (!isTargetKind(kind) || !isNotificationEvent(event)) {
    throw new DeliveryError({ messageKey: "notifyKindUnknown", permanent: true });
  }
  const message = toMessage({ event, params, createdAt }, String(id), languageOf(setting, options), options);
  const config = openConfig<typeof kind>(delivery.configCipher);
  await sendMessage(kind, config, message, { options, accountEmail: email ?? "", sendMail });
}
