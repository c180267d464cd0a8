import { z } from "zod";
import { address, flag, jsonText, line, lines, number, type OptionDefinition } from "../definition";

const count = number({ min: 0, integer: true });
const chats = jsonText(z.array(z.record(z.string().min(1).max(64), z.string().max(2_000))).max(100));

/** Phrases of upstreams that mean "this account is dead", compared without regard to case (contract §4.9). */
const DISABLE_PHRASES = [
  "credit balance is too low",
  "organization has been disabled",
  "exceeded your current quota",
  "permission denied",
  "security token included in the request is invalid",
  "operation not allowed",
  "account is not authorized",
].join("\n");

/** Operation, logs, dashboard, monitoring, quota, drawing, payment and limits (contract §3.2). */
export const generalOptions = {
  ServerAddress: { schema: address, default: "http://localhost:3000" },
  WorkerUrl: { schema: address, default: "" },
  WorkerValidKey: { schema: line, default: "", secret: true },
  PayAddress: { schema: address, default: "" },
  EpayId: { schema: line, default: "" },
  EpayKey: { schema: line, default: "", secret: true },
  CustomCallbackAddress: { schema: address, default: "" },
  Price: { schema: number({ min: 0 }), default: "7.3" },
  MinTopUp: { schema: count, default: "1" },
  TopUpLink: { schema: line, default: "" },
  ChatLink: { schema: line, default: "" },
  ChatLink2: { schema: line, default: "" },
  Chats: { schema: chats, default: "[]" },
  QuotaPerUnit: { schema: number({ min: 1 }), default: "500000", effect: "relay" },
  RetryTimes: { schema: number({ min: 0, max: 20, integer: true }), default: "0", effect: "relay" },
  DisplayInCurrencyEnabled: { schema: flag, default: "true" },
  DisplayTokenStatEnabled: { schema: flag, default: "true", effect: "relay" },
  DefaultCollapseSidebar: { schema: flag, default: "false" },
  DrawingEnabled: { schema: flag, default: "true" },
  TaskEnabled: { schema: flag, default: "true" },
  MjNotifyEnabled: { schema: flag, default: "false" },
  MjAccountFilterEnabled: { schema: flag, default: "false" },
  MjForwardUrlEnabled: { schema: flag, default: "true" },
  MjModeClearEnabled: { schema: flag, default: "false" },
  MjActionCheckSuccessEnabled: { schema: flag, default: "true" },
  CheckSensitiveEnabled: { schema: flag, default: "true", effect: "relay" },
  CheckSensitiveOnPromptEnabled: { schema: flag, default: "true", effect: "relay" },
  SensitiveWords: { schema: lines, default: "test_sensitive", effect: "relay" },
  LogConsumeEnabled: { schema: flag, default: "true", effect: "relay" },
  DataExportEnabled: { schema: flag, default: "true" },
  DataExportInterval: { schema: number({ min: 1, integer: true }), default: "5" },
  DataExportDefaultTime: { schema: z.enum(["hour", "day", "week"]) as z.ZodType<string, string>, default: "hour" },
  ChannelDisableThreshold: { schema: number({ min: 0 }), default: "5" },
  QuotaRemindThreshold: { schema: count, default: "1000" },
  AutomaticDisableChannelEnabled: { schema: flag, default: "false", effect: "relay" },
  AutomaticEnableChannelEnabled: { schema: flag, default: "false" },
  AutomaticDisableKeywords: { schema: lines, default: DISABLE_PHRASES, effect: "relay" },
  QuotaForNewUser: { schema: count, default: "0" },
  PreConsumedQuota: { schema: count, default: "500", effect: "relay" },
  QuotaForInviter: { schema: count, default: "0" },
  QuotaForInvitee: { schema: count, default: "0" },
  ModelRequestRateLimitEnabled: { schema: flag, default: "false", effect: "relay" },
  ModelRequestRateLimitDurationMinutes: { schema: number({ min: 1, integer: true }), default: "1", effect: "relay" },
  ModelRequestRateLimitCount: { schema: count, default: "0", effect: "relay" },
  ModelRequestRateLimitSuccessCount: { schema: count, default: "1000", effect: "relay" },
  SelfUseModeEnabled: { schema: flag, default: "false", effect: "relay" },
  DemoSiteEnabled: { schema: flag, default: "false" },
  /** Whether the owner's own token lists carry the whole key at the wire (the seed's client needs it). */
  TokenKeyInListEnabled: { schema: flag, default: "true" },
} as const satisfies Record<string, OptionDefinition>;
