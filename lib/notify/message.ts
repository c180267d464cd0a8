import type { Locale } from "@/lib/i18n/locale";
import { displayOf, formatQuota } from "@/lib/money/display";
import type { OptionValues } from "@/lib/option/registry";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import { eventDefinition, type NotificationEvent } from "./events";

/** A message in the reader's language, as plain text; each sender formats it for its service. */
export type OutgoingMessage = {
  /** The same for every attempt, so that receivers can detect duplicates. */
  deliveryId: string;
  wireType: string;
  locale: Locale;
  siteName: string;
  title: string;
  content: string;
  /** Link to the page about the event; null while the site has no server address. */
  url: string | null;
  urlLabel: string;
  /** The arguments of the text, in their order. */
  values: string[];
  /** Time of the event, in unix seconds. */
  createdAt: number;
};

type Texts = { title: string; content: string };
type Catalogue = {
  event: Record<string, Texts>;
  open: string;
  word: Record<string, string>;
  subject: Record<string, string>;
  span: Record<"minutes" | "hours" | "days", string>;
};
const catalogue: Record<Locale, Catalogue> = { zh: zh.notify, en: en.notify };

type AmountFormat = Parameters<typeof displayOf>[0];

/** An amount as the console shows it: money with at least two decimals, or the number of quota. */
function formatAmount(quota: number, options: AmountFormat): string {
  const display = displayOf(options);
  if (!display.inCurrency) return String(quota);
  // Two decimals would show a threshold of 0.001 as 0.00.
  const isTiny = quota !== 0 && Math.abs(quota) < display.quotaPerUnit / 100;
  return formatQuota(quota, display, isTiny ? 6 : 2);
}

/** In UTC, because the receiver's time zone is unknown. */
function formatMoment(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** "In the last …" in the largest unit that leaves a whole number; "" for no time at all. */
function formatSpan(seconds: number, { span }: Catalogue): string {
  if (seconds === 0) return "";
  if (seconds % 86_400 === 0) return span.days.replace("{count}", String(seconds / 86_400));
  if (seconds % 3_600 === 0) return span.hours.replace("{count}", String(seconds / 3_600));
  return span.minutes.replace("{count}", String(Math.round(seconds / 60)));
}

/** `text`: `<metric>:<value>`, see lib/alert/types.ts for the units. */
function formatMeasure(text: string, amounts: AmountFormat): string {
  const [metric, value] = text.split(":");
  if (metric === "error_rate") return `${(Number(value) / 100).toFixed(2).replace(/\.?0+$/, "")}%`;
  if (metric === "latency") return `${(Number(value) / 1_000).toFixed(2)} s`;
  return formatAmount(Number(value), amounts);
}

/** `text`: `<kind>:<name>`. The name may contain anything. */
function formatSubject(text: string, { subject }: Catalogue): string {
  const [kind = "", ...name] = text.split(":");
  return lookUp(subject, kind).replace("{name}", () => name.join(":"));
}

function lookUp(texts: Record<string, string>, key: string): string {
  return (Object.hasOwn(texts, key) ? texts[key] : undefined) ?? key;
}

type Words = { amounts: AmountFormat; texts: Catalogue };

function formatParam(kind: string, value: unknown, { amounts, texts }: Words): string {
  if (kind === "amount") return formatAmount(Number(value), amounts);
  if (kind === "moment") return formatMoment(Number(value));
  if (kind === "span") return formatSpan(Number(value), texts);
  const text = String(value ?? "");
  if (kind === "word") return lookUp(texts.word, text);
  if (kind === "measure") return formatMeasure(text, amounts);
  return kind === "subject" ? formatSubject(text, texts) : text;
}

/** Title and content of an event. Arguments are inserted in one pass, so that braces in them are not read as placeholders. */
export function renderEvent(
  event: NotificationEvent,
  params: Record<string, unknown>,
  locale: Locale,
  amounts: AmountFormat,
): Texts & { values: string[] } {
  const { params: kinds } = eventDefinition(event);
  const words = { amounts, texts: catalogue[locale] };
  const args = new Map(
    Object.entries(kinds).map(([name, kind]) => [name, formatParam(kind, params[name], words)] as const),
  );
  const texts = catalogue[locale].event[event] ?? { title: event, content: "" };
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => args.get(name) ?? whole);
  return { title: fill(texts.title), content: fill(texts.content), values: [...args.values()] };
}

type Site = AmountFormat & Pick<OptionValues, "SystemName" | "ServerAddress">;

/** The address of a page as people outside can open it; null while nobody has set the server address. */
function linkTo(path: string, { ServerAddress }: Site): string | null {
  return ServerAddress === "" ? null : `${ServerAddress}${path}`;
}

/** Renders a notification for sending. */
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
    url: linkTo(path, site),
    urlLabel: catalogue[locale].open,
    createdAt: notification.createdAt,
  };
}

/** The message of "send a test". */
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
    url: linkTo("/setting", site),
    urlLabel: catalogue[locale].open,
  };
}
