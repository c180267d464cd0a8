import { z } from "zod";
import { DEFAULT_CURRENCY_SYMBOL } from "@/lib/money/display";
import { choice, flag, jsonText, line, lines, link, number, type OptionDefinition, patterns } from "../definition";

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** Stands before an amount, so it has nothing that belongs to a number. */
const currencySymbol = z
  .string()
  .trim()
  .max(8)
  .regex(/^[^\d.,+\-<>]*$/, { message: "symbol" });

const count = number({ min: 0, integer: true });
const chats = jsonText(z.array(z.record(z.string().min(1).max(64), link)).max(100), "chats");

/** Phrases in upstream errors that mean the account is dead; compared without regard to case (contract §4.9). */
const DISABLE_PHRASES = [
  "credit balance is too low",
  "organization has been disabled",
  "exceeded your current quota",
  "permission denied",
  "security token included in the request is invalid",
  "operation not allowed",
  "account is not authorized",
].join("\n");

/** Of options that the relay reads for each new request. */
const OF_RELAY = { delicate: false, running: "new", effect: "relay" } as const;

/** Display, links and retries (contract §3.2). */
const displayOptions = {
  TopUpLink: { schema: link, default: "", delicate: true, running: "none", card: "general" },
  ChatLink: { schema: link, default: "", delicate: true, running: "none", card: "general" },
  ChatLink2: { schema: link, default: "", delicate: true, running: "none", card: "general" },
  QuotaPerUnit: {
    schema: number({ min: 1 }),
    default: "500000",
    ...OF_RELAY,
    card: "general",
    unit: "perCurrency",
  },
  RetryTimes: {
    schema: number({ min: 0, max: 20, integer: true }),
    default: "3",
    ...OF_RELAY,
    card: "general",
    unit: "times",
  },
  /** Request bodies go to the upstream unchanged, without model mapping or conversion (contract §4.7). */
  "global.pass_through_request_enabled": {
    schema: flag,
    default: "false",
    ...OF_RELAY,
    card: "general",
  },
  DisplayInCurrencyEnabled: { schema: flag, default: "true", delicate: false, running: "new", card: "general" },
  /** Shown in front of money amounts. */
  CurrencySymbol: {
    schema: currencySymbol,
    default: DEFAULT_CURRENCY_SYMBOL,
    delicate: false,
    running: "none",
    card: "general",
  },
  /** A second currency in which amounts are shown as well; empty, or a rate of 0 = none. */
  SecondCurrencySymbol: { schema: currencySymbol, default: "", delicate: false, running: "none", card: "general" },
  /** How much of the second currency one unit of the first is worth. */
  SecondCurrencyRate: {
    schema: number({ min: 0, max: 1e9 }),
    default: "0",
    delicate: false,
    running: "none",
    card: "general",
  },
  DisplayTokenStatEnabled: {
    schema: flag,
    default: "true",
    ...OF_RELAY,
    card: "general",
  },
  /** Of messages to users who have not chosen a language, nor signed in with a browser. */
  DefaultLanguage: { schema: choice(["zh", "en"]), default: "zh", delicate: false, running: "none", card: "general" },
  DefaultCollapseSidebar: { schema: flag, default: "false", delicate: false, running: "none", card: "general" },
  Chats: { schema: chats, default: "[]", delicate: true, running: "none", card: "chats" },
  TaskEnabled: { schema: flag, default: "true", delicate: false, running: "none", card: "modes" },
  SelfUseModeEnabled: {
    schema: flag,
    default: "false",
    ...OF_RELAY,
    card: "modes",
  },
  DemoSiteEnabled: { schema: flag, default: "false", delicate: false, running: "none", card: "modes" },
  /** Whether token lists of the API contain whole keys, for the owner only (older clients need it). */
  TokenKeyInListEnabled: { schema: flag, default: "true", delicate: true, running: "none", card: "modes" },
} as const satisfies Record<string, OptionDefinition>;

/** Drawing and the word filter (contract §3.2). */
const contentGuardOptions = {
  DrawingEnabled: { schema: flag, default: "true", delicate: false, running: "none", card: "drawing" },
  MjNotifyEnabled: { schema: flag, default: "false", delicate: false, running: "all", card: "drawing" },
  MjAccountFilterEnabled: {
    schema: flag,
    default: "false",
    delicate: false,
    running: "new",
    card: "drawing",
  },
  MjForwardUrlEnabled: { schema: flag, default: "true", delicate: false, running: "new", card: "drawing" },
  MjModeClearEnabled: { schema: flag, default: "false", delicate: false, running: "new", card: "drawing" },
  MjActionCheckSuccessEnabled: {
    schema: flag,
    default: "true",
    delicate: false,
    running: "new",
    card: "drawing",
  },
  CheckSensitiveEnabled: {
    schema: flag,
    default: "true",
    ...OF_RELAY,
    card: "sensitive",
  },
  CheckSensitiveOnPromptEnabled: {
    schema: flag,
    default: "true",
    ...OF_RELAY,
    card: "sensitive",
  },
  /** Off: the words are taken out of a prompt, and the request goes on. */
  StopOnSensitiveEnabled: {
    schema: flag,
    default: "true",
    ...OF_RELAY,
    card: "sensitive",
  },
  SensitiveWords: {
    schema: lines,
    default: "test_sensitive",
    ...OF_RELAY,
    card: "sensitive",
  },
} as const satisfies Record<string, OptionDefinition>;

/** Requests and answers that users let be captured (lib/capture). */
const captureOptions = {
  CaptureEnabled: { schema: flag, default: "false", delicate: true, running: "new", effect: "relay", card: "capture" },
  /** Whether administrators may read what users captured. */
  CaptureAdminAccess: { schema: flag, default: "false", delicate: true, running: "none", card: "capture" },
  CaptureHours: {
    schema: number({ min: 1, max: 720, integer: true }),
    default: "24",
    delicate: true,
    running: "new",
    effect: "relay",
    card: "capture",
    unit: "hours",
  },
  /** Of a request, and of an answer. */
  CaptureKilobytes: {
    schema: number({ min: 1, max: 256, integer: true }),
    default: "64",
    ...OF_RELAY,
    card: "capture",
    unit: "kilobytes",
  },
  /** Regular expressions, one a line. */
  CapturePatterns: { schema: patterns, default: "", delicate: true, running: "new", effect: "relay", card: "capture" },
} as const satisfies Record<string, OptionDefinition>;

/** Logs, dashboard, monitoring, quota and rate limits (contract §3.2). */
const runningOptions = {
  LogConsumeEnabled: { schema: flag, default: "true", delicate: false, running: "new", effect: "relay", card: "log" },
  /** Days for which rows of the usage log are kept; 0 = until they are cleared by hand. */
  LogRetentionDays: {
    schema: number({ min: 0, max: 36_500, integer: true }),
    default: "0",
    delicate: false,
    running: "none",
    card: "log",
    unit: "days",
  },
  ...captureOptions,
  DataExportEnabled: { schema: flag, default: "true", delicate: false, running: "none", card: "dashboard" },
  DataExportInterval: {
    schema: number({ min: 1, integer: true }),
    default: "5",
    delicate: false,
    running: "none",
    card: "dashboard",
    unit: "minutes",
  },
  DataExportDefaultTime: {
    schema: choice(["hour", "day", "week"]),
    default: "hour",
    delicate: false,
    running: "none",
    card: "dashboard",
  },
  ChannelDisableThreshold: {
    schema: number({ min: 0 }),
    default: "5",
    delicate: false,
    running: "none",
    card: "monitoring",
    unit: "seconds",
  },
  QuotaRemindThreshold: {
    schema: count,
    default: "1000",
    delicate: false,
    running: "none",
    card: "monitoring",
    unit: "quota",
  },
  AutomaticDisableChannelEnabled: {
    schema: flag,
    default: "false",
    ...OF_RELAY,
    card: "monitoring",
  },
  AutomaticEnableChannelEnabled: {
    schema: flag,
    default: "false",
    delicate: false,
    running: "none",
    card: "monitoring",
  },
  AutomaticDisableKeywords: {
    schema: lines,
    default: DISABLE_PHRASES,
    ...OF_RELAY,
    card: "monitoring",
  },
  /** Failures in a row that open a channel's circuit; see lib/relay/routing/circuits. */
  CircuitFailures: {
    schema: number({ min: 1, max: 1_000, integer: true }),
    default: "3",
    delicate: false,
    running: "all",
    effect: "relay",
    card: "monitoring",
    unit: "times",
  },
  /** A recovered channel is in use again within this time and the next request, also where one comes every few seconds. */
  CircuitRestMaxSeconds: {
    schema: number({ min: 5, max: 600, integer: true }),
    default: "15",
    delicate: false,
    running: "all",
    effect: "relay",
    card: "monitoring",
    unit: "seconds",
  },
  QuotaForNewUser: { schema: count, default: "0", delicate: false, running: "none", card: "quota", unit: "quota" },
  PreConsumedQuota: {
    schema: count,
    default: "500",
    ...OF_RELAY,
    card: "quota",
    unit: "tokens",
  },
  QuotaForInviter: { schema: count, default: "0", delicate: false, running: "none", card: "quota", unit: "quota" },
  QuotaForInvitee: { schema: count, default: "0", delicate: false, running: "none", card: "quota", unit: "quota" },
  ModelRequestRateLimitEnabled: {
    schema: flag,
    default: "false",
    ...OF_RELAY,
    card: "limits",
  },
  ModelRequestRateLimitDurationMinutes: {
    schema: number({ min: 1, max: 43_200, integer: true }),
    default: "1",
    ...OF_RELAY,
    card: "limits",
    unit: "minutes",
  },
  ModelRequestRateLimitCount: {
    schema: count,
    default: "0",
    ...OF_RELAY,
    card: "limits",
    unit: "requests",
  },
  ModelRequestRateLimitSuccessCount: {
    schema: count,
    default: "1000",
    ...OF_RELAY,
    card: "limits",
    unit: "requests",
  },
  ConcurrencyQueueSeconds: {
    schema: number({ min: 0, max: 300, integer: true }),
    default: "0",
    ...OF_RELAY,
    card: "limits",
    unit: "seconds",
  },
  ConcurrencyQueueLength: {
    schema: number({ min: 1, max: 10_000, integer: true }),
    default: "100",
    ...OF_RELAY,
    card: "limits",
    unit: "requests",
  },
  /** In each gateway process; 0 = no limit. */
  RealtimeSessionsPerKey: {
    schema: number({ min: 0, max: 100_000, integer: true }),
    default: "20",
    ...OF_RELAY,
    card: "limits",
  },
  BudgetTimeZone: {
    schema: line.refine(isTimeZone, { message: "timeZone" }),
    default: "UTC",
    delicate: false,
    running: "all",
    effect: "relay",
    card: "limits",
  },
} as const satisfies Record<string, OptionDefinition>;

export const generalOptions = { ...displayOptions, ...contentGuardOptions, ...runningOptions } as const;
