import { z } from "zod";
import { concurrencyField, perMinuteField } from "@/lib/limit/schemas";
import { pageShape } from "@/lib/page";
import { findBadPattern } from "@/lib/param-override";
import { channelTypes } from "@/lib/provider-catalogue";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { seenField } from "@/lib/seen-schema";
import { isCostSetting } from "@/lib/snapshot/cost-setting";
import { isLimitOverrides } from "@/lib/time-limits";

const MODEL_NAME_MAX = 255;
const INT_MAX = 2_147_483_647;
/** Largest number of keys of one channel. */
export const CHANNEL_KEYS_MAX = 1_000;

const items = (text: string): string[] => [
  ...new Set(
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== ""),
  ),
];

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

const isTextMap = (text: string): boolean =>
  Object.values(parseObject(text) ?? { bad: 0 }).every((value) => typeof value === "string");

/** Status codes may be numbers or text; both sides must be HTTP statuses. */
const isStatusMap = (text: string): boolean => {
  const map = parseObject(text);
  return map !== null && Object.entries(map).every((pair) => pair.every((code) => /^[1-5]\d\d$/.test(String(code))));
};

function jsonText(messageKey: string, fits: (text: string) => boolean, max = 65_536) {
  return z
    .string(messageKey)
    .trim()
    .max(max, messageKey)
    .refine((text) => text === "" || fits(text), { message: messageKey });
}

export const channelFields = {
  type: z
    .number("channelTypeInvalid")
    .int("channelTypeInvalid")
    .min(1, "channelTypeInvalid")
    .max(100, "channelTypeInvalid"),
  key: z.string("channelKeyMissing").max(65_536, "channelKeyTooLong"),
  name: z.string("channelNameMissing").trim().min(1, "channelNameMissing").max(255, "channelNameTooLong"),
  openaiOrganization: z.string().trim().max(255),
  testModel: z.string().trim().max(MODEL_NAME_MAX),
  weight: z.number("channelWeightInvalid").int("channelWeightInvalid").min(0, "channelWeightInvalid").max(INT_MAX),
  priority: z
    .number("channelPriorityInvalid")
    .int("channelPriorityInvalid")
    .min(-999, "channelPriorityInvalid")
    .max(INT_MAX),
  baseUrl: z
    .string()
    .trim()
    .max(2_048, "channelBaseUrlInvalid")
    .transform((url) => url.replace(/\/+$/, ""))
    .refine((url) => url === "" || (/^(https?|wss?):\/\/[^\s/]+/i.test(url) && URL.canParse(url)), {
      message: "channelBaseUrlInvalid",
    }),
  other: z.string().trim().max(65_536),
  models: z
    .string("channelModelsMissing")
    .max(1_000_000)
    .refine((text) => items(text).every((model) => model.length <= MODEL_NAME_MAX), { message: "channelModelTooLong" })
    .transform((text) => items(text).join(","))
    .refine((text) => text !== "", { message: "channelModelsMissing" }),
  group: z
    .string("channelGroupMissing")
    .max(4_096)
    .transform((text) => items(text).join(","))
    .refine((text) => text !== "", { message: "channelGroupMissing" }),
  modelMapping: jsonText("channelModelMappingInvalid", isTextMap),
  statusCodeMapping: jsonText("channelStatusMappingInvalid", isStatusMap, 1_024),
  autoBan: z.union([z.literal(0), z.literal(1)]),
  tag: z
    .string()
    .trim()
    .max(255)
    .nullable()
    .transform((tag) => (tag === "" ? null : tag)),
  setting: jsonText("channelSettingInvalid", (text) => parseObject(text) !== null)
    .refine((text) => isCostSetting(parseObject(text) ?? {}), { message: "channelCostInvalid" })
    .refine((text) => isLimitOverrides(parseObject(text)?.time_limits ?? {}), { message: "channelTimeLimitsInvalid" }),
  paramOverride: jsonText("channelParamOverrideInvalid", (text) => parseObject(text) !== null).refine(
    (text) => findBadPattern(parseObject(text) ?? {}) === null,
    { message: "channelParamOverridePattern" },
  ),
  requestsPerMinute: perMinuteField,
  tokensPerMinute: perMinuteField,
  concurrencyLimit: concurrencyField,
  status: z.union([z.literal(CHANNEL_STATUS.enabled), z.literal(CHANNEL_STATUS.disabled)], {
    error: "channelStatusInvalid",
  }),
};

/** For types with regions the extra field is a region name, or JSON with a "default" (contract §1.9). */
export function isOtherValid(type: number, other: string): boolean {
  if (channelTypes.get(type)?.editor.other !== "region") return true;
  if (other === "") return false;
  if (!other.startsWith("{")) return true;
  return typeof parseObject(other)?.default === "string";
}

/** One key per line, except for types whose key is a whole document. */
export function splitKeys(type: number, key: string): string[] {
  if (channelTypes.get(type)?.editor.isKeyDocument) return key.trim() === "" ? [] : [key.trim()];
  return [...new Set(key.split("\n").map((line) => line.trim()))].filter((line) => line !== "");
}

export const createChannelSchema = z
  .object({
    ...channelFields,
    openaiOrganization: channelFields.openaiOrganization.default(""),
    testModel: channelFields.testModel.default(""),
    weight: channelFields.weight.default(0),
    priority: channelFields.priority.default(0),
    baseUrl: channelFields.baseUrl.default(""),
    other: channelFields.other.default(""),
    group: channelFields.group.default("default"),
    modelMapping: channelFields.modelMapping.default(""),
    statusCodeMapping: channelFields.statusCodeMapping.default(""),
    autoBan: channelFields.autoBan.default(1),
    tag: channelFields.tag.default(null),
    setting: channelFields.setting.default(""),
    paramOverride: channelFields.paramOverride.default(""),
    requestsPerMinute: channelFields.requestsPerMinute.default(0),
    tokensPerMinute: channelFields.tokensPerMinute.default(0),
    concurrencyLimit: channelFields.concurrencyLimit.default(0),
    status: channelFields.status.default(1),
    /** One channel with all the keys, instead of one channel per key. */
    severalKeys: z.boolean().default(false),
  })
  .refine((channel) => isOtherValid(channel.type, channel.other), {
    message: "channelRegionInvalid",
    path: ["other"],
  })
  .refine((channel) => splitKeys(channel.type, channel.key).length > 0, {
    message: "channelKeyMissing",
    path: ["key"],
  })
  .refine((channel) => !channel.severalKeys || splitKeys(channel.type, channel.key).length <= CHANNEL_KEYS_MAX, {
    message: "channelKeysTooMany",
    path: ["key"],
  });
export type CreateChannelInput = z.input<typeof createChannelSchema>;

/** Absent fields stay unchanged; an empty key means "unchanged". */
export const updateChannelSchema = z.object(channelFields).partial().extend({ id: z.number().int(), seen: seenField });
export type UpdateChannelInput = z.input<typeof updateChannelSchema>;

export const privateAllowedSchema = z.object({ id: z.number().int().positive(), allowed: z.boolean() });

/** What can be set for all members of a tag. An empty new tag removes the tag. */
export const updateTagSchema = z.object({
  tag: z.string("channelTagMissing").trim().min(1, "channelTagMissing"),
  newTag: channelFields.tag.optional(),
  priority: channelFields.priority.optional(),
  weight: channelFields.weight.optional(),
  modelMapping: channelFields.modelMapping.optional(),
  models: channelFields.models.optional(),
  group: channelFields.group.optional(),
  /** A value that the members do not share is null. */
  seen: seenField,
});
export type UpdateTagInput = z.input<typeof updateTagSchema>;

export const CHANNEL_SORTS = [
  "priority",
  "id",
  "name",
  "type",
  "status",
  "createdTime",
  "weight",
  "usedQuota",
  "balance",
  "responseTime",
  "testTime",
] as const;

/** Figures of the last 24 hours of traffic; channels without enough of it come last. */
export const TRAFFIC_SORTS = ["successRate", "p95Ms", "firstTokenP95Ms"] as const;
export type TrafficSort = (typeof TRAFFIC_SORTS)[number];

/** What the list can be sorted by: columns of the table, and figures of traffic. */
export const LIST_SORTS = [...CHANNEL_SORTS, ...TRAFFIC_SORTS] as const;

/** The row must have one of the values; an empty list means no filter. */
const oneOf = <Value extends z.ZodType>(value: Value) => z.array(value).max(200).default([]);

/** An invalid filter is refused: if it were ignored, all channels would be selected. */
export const channelFilterSchema = z.object({
  /** An id, part of the name or base URL, or a whole key. */
  keyword: z.string().trim().max(20_000).default(""),
  /** "identity" leaves the base URL out. */
  keywordIn: z.enum(["all", "identity"]).optional(),
  /** Part of the base URL. */
  baseUrl: z.string().trim().max(2_000).optional(),
  /** Part of a model name. */
  model: z.string().trim().max(MODEL_NAME_MAX).default(""),
  groups: oneOf(z.string().max(64)),
  statuses: oneOf(z.number().int().min(0).max(3)),
  types: oneOf(z.number().int().min(0).max(10_000)),
  /** "" stands for channels without a tag. */
  tags: oneOf(z.string().max(255)),
});
export type ChannelFilter = z.output<typeof channelFilterSchema>;

export const channelSearchSchema = channelFilterSchema.extend({
  ...pageShape,
  sort: z.enum(LIST_SORTS).catch("priority").default("priority"),
  descending: z.boolean().catch(true).default(true),
  /** Pages count tags and channels without one; items are all members of the tags on this page. */
  tagMode: z.boolean().catch(false).default(false),
});
export type ChannelSearch = z.input<typeof channelSearchSchema>;
