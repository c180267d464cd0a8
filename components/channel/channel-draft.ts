import { toLimits, toLimitTexts } from "@/components/form/limit-texts";
import { splitList } from "@/components/form/split-list";
import type { Channel } from "@/lib/channel/types";
import type { EditorFields } from "@/lib/provider-catalogue/editor-fields";

/** The limits of which 0 means none. */
export const CHANNEL_LIMITS = ["requestsPerMinute", "tokensPerMinute", "concurrencyLimit"] as const;

/** The state of the channel form. */
export type ChannelDraft = Record<(typeof CHANNEL_LIMITS)[number], string> & {
  type: number;
  name: string;
  key: string;
  /** Several keys make one channel instead of one channel each. */
  severalKeys: boolean;
  baseUrl: string;
  other: string;
  openaiOrganization: string;
  groups: string[];
  models: string[];
  modelMapping: string;
  statusCodeMapping: string;
  paramOverride: string;
  setting: string;
  testModel: string;
  tag: string;
  priority: string;
  weight: string;
  autoBan: boolean;
};

export type ChannelSectionProps = {
  draft: ChannelDraft;
  /** The fields of the channel's type. */
  fields: EditorFields;
  onChange: (change: Partial<ChannelDraft>) => void;
  errors: Record<string, string>;
};

/** `type` is that of a new channel, which starts without models. */
export function toDraft(channel: Channel | null, type: number): ChannelDraft {
  return {
    type: channel?.type ?? type,
    name: channel?.name ?? "",
    key: "",
    severalKeys: false,
    baseUrl: channel?.baseUrl ?? "",
    other: channel?.other ?? "",
    openaiOrganization: channel?.openaiOrganization ?? "",
    groups: splitList(channel?.group ?? "default"),
    models: splitList(channel?.models ?? ""),
    modelMapping: channel?.modelMapping ?? "",
    statusCodeMapping: channel?.statusCodeMapping ?? "",
    paramOverride: channel?.paramOverride ?? "",
    setting: channel?.setting ?? "",
    testModel: channel?.testModel ?? "",
    tag: channel?.tag ?? "",
    priority: String(channel?.priority ?? 0),
    weight: String(channel?.weight ?? 0),
    autoBan: channel ? channel.autoBan === 1 : true,
    ...toLimitTexts(CHANNEL_LIMITS, channel),
  };
}

/** The command's input. On an edit, an empty key means "keep the stored key". */
export function toChannelInput(draft: ChannelDraft, { otherDefault }: EditorFields) {
  const { groups, models, autoBan, priority, weight, severalKeys, other, ...texts } = draft;
  return {
    ...texts,
    other: other.trim() === "" ? otherDefault : other,
    group: groups.join(","),
    models: models.join(","),
    autoBan: autoBan ? (1 as const) : (0 as const),
    priority: toInteger(priority),
    weight: toInteger(weight),
    ...toLimits(CHANNEL_LIMITS, draft),
  };
}

export type ChannelInput = ReturnType<typeof toChannelInput>;

/** 3.7 becomes 3, and text that is no number becomes 0 (B180). */
function toInteger(text: string): number {
  const whole = Number.parseInt(text, 10);
  return Number.isNaN(whole) ? 0 : whole;
}

/** Whether a JSON text field may be saved. */
export function isJsonObjectOrEmpty(text: string): boolean {
  if (text.trim() === "") return true;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
