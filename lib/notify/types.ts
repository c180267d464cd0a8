import type { Locale } from "@/lib/i18n/locale";
import type { NotificationEvent } from "./events";
import type { TargetKind } from "./target-kinds";

/** A target as its owner sees it, without secrets. */
export type NotificationTarget = {
  id: number;
  kind: TargetKind;
  name: string;
  hint: string;
  /** Without secrets. */
  config: Record<string, string>;
  events: NotificationEvent[];
  enabled: boolean;
  lastSentAt: number | null;
  /** Translated; "" after a success. */
  lastError: string;
};

export type NotificationPreferences = {
  language: Locale;
  /** In quota; null = the site's threshold. */
  threshold: number | null;
  siteThreshold: number;
  /** Whether models without a price may be charged at the default ratio. */
  acceptsUnpriced: boolean;
  /** At which percentages of a budget its owner is warned. */
  budgetWarnings: number[];
  /** Maximum number of concurrent requests; 0 = no limit of the account's own. */
  concurrencyLimit: number;
  email: string;
};

/** A message in the notice centre, translated. */
export type Notice = {
  id: number;
  event: NotificationEvent;
  title: string;
  content: string;
  path: string;
  createdAt: number;
  read: boolean;
};
