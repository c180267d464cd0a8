import type { Locale } from "@/lib/i18n/locale";
import type { OptionValues } from "@/lib/option/registry";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import { eventDefinition, type NotificationEvent } from "./events";

/** A message in the reader's language, as plain text; each sender writes it in the way of its medium. */
export type OutgoingMessage = {
  /** The same for every try of one delivery, so that receivers can tell a repetition. */
  deliveryId: string;
  wireType: string;
  locale: Locale;
  siteName: string;
  title: string;
  content: string;
  /** Where the reader goes from it. */
  url: string;
  urlLabel: string;
  /** The arguments of the text, in their order. */
  values: string[];
  /** When it happened, in unix seconds. */
  createdAt: number;
};

type Texts = { title: string; content: string };
const catalogue: Record<Locale, { event: Record<string, Texts>; open: string }> = { zh: zh.notify, en: en.notify };

/** How amounts are shown on this site. */
export type AmountFormat = Pick<OptionValues, "QuotaPerUnit" | "DisplayInCurrencyEnabled">;

/** An amount of quota as the console shows it: money with two decimals or more, or the bare number. */
function formatAmount(quota: number, { QuotaPerUnit, DisplayInCurrencyEnabled }: AmountFormat): string {
  if (!DisplayInCurrencyEnabled) return String(quota);
  const money = Math.abs(quota) / QuotaPerUnit;
  // A threshold of a thousandth must not read as nothing.
  const digits = money > 0 && money < 0.01 ? 6 : 2;
  return `${quota < 0 ? "-" : ""}￥${money.toFixed(digits)}`;
}

/** A moment in words that mean the same everywhere: the receiver's time zone is not known. */
function formatMoment(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function formatParam(kind: string, value: unknown, amounts: AmountFormat): string {
  if (kind === "amount") return formatAmount(Number(value), amounts);
  if (kind === "moment") return formatMoment(Number(value));
  return String(value ?? "");
}

/** Title and content of an event in a language. Arguments are put in once: what they contain is never read as a place. */
export function renderEvent(
  event: NotificationEvent,
  params: Record<string, unknown>,
  locale: Locale,
  amounts: AmountFormat,
): Texts & { values: string[] } {
  const { params: kinds } = eventDefinition(event);
  const args = new Map(
    Object.entries(kinds).map(([name, kind]) => [name, formatParam(kind, params[name], amounts)] as const),
  );
  const texts = catalogue[locale].event[event] ?? { title: event, content: "" };
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => args.get(name) ?? whole);
  return { title: fill(texts.title), content: fill(texts.content), values: [...args.values()] };
}

type Site = AmountFormat & Pick<OptionValues, "SystemName" | "ServerAddress">;

/** A notification as it goes out. */
export function toMessage(
  notification: { event: NotificationEvent; params: Record<string, unknown>; createdAt: number },
  deliveryId: string,
  locale: Locale,
  site: Site,
): OutgoingMessage {
  const { wireType, path } = eventDefinition(notification.event);
  return {
    ...renderEvent(notification.event, notification.params, locale, site),
    deliveryId,
    wireType,
    locale,
    siteName: site.SystemName || "Weir",
    url: `${site.ServerAddress}${path}`,
    urlLabel: catalogue[locale].open,
    createdAt: notification.createdAt,
  };
}

/** What "send a test" sends. */
export function testMessage(deliveryId: string, createdAt: number, locale: Locale, site: Site): OutgoingMessage {
  const texts = catalogue[locale].event.test ?? { title: "test", content: "" };
  return {
    ...texts,
    deliveryId,
    createdAt,
    locale,
    values: [],
    wireType: "test",
    siteName: site.SystemName || "Weir",
    url: `${site.ServerAddress}/setting`,
    urlLabel: catalogue[locale].open,
  };
}
