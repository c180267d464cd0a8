import type { Difference } from "@/lib/audit/difference";
import type { OptionCard } from "./cards";

export type OptionControl =
  | "text"
  | "url"
  | "site"
  | "number"
  | "switch"
  | "choice"
  | "lines"
  | "patterns"
  | "origins"
  | "domains"
  | "markup"
  | "json"
  | "ratioMap"
  | "textMap"
  | "limitMap"
  | "meterMap"
  | "fallbackMap"
  | "modelGroups"
  | "tokenMap"
  | "versionMap"
  | "safetyMap"
  | "headerMap"
  | "modelRules"
  | "chats";

export type OptionUnit =
  | "seconds"
  | "minutes"
  | "hours"
  | "days"
  | "quota"
  | "tokens"
  | "times"
  | "currency"
  | "perCurrency"
  | "requests"
  | "percent"
  | "kilobytes";

/**
 * What a change of an option does to API requests: nothing ("none"), it applies to those that begin later, while running
 * ones go on as they began ("new"), or it applies to running ones too ("all"). Nothing needs a restart.
 */
export type RunningEffect = "none" | "new" | "all";

/** Features that some options belong to and that Weir does not have yet. */
export type PendingFeature = "drawing requests";

/** Bounds of a number, both inclusive. */
export type OptionBounds = { min?: number; max?: number; integer?: boolean };

/** An option for the settings page. `value` of a secret is always "". */
export type OptionView = OptionBounds & {
  key: string;
  card: OptionCard;
  control: OptionControl;
  choices: readonly string[];
  unit: OptionUnit | null;
  requires: string | null;
  running: RunningEffect;
  /** It has no effect yet. */
  isPending: boolean;
  secret: boolean;
  value: string;
  default: string;
  /** Whether an operator set it; for a secret, whether it is not empty. */
  isSet: boolean;
};

/** A saved change of an option. For a secret it only says that it changed. */
export type OptionVersion = {
  id: number;
  key: string;
  actorId: number | null;
  actorName: string;
  clientIp: string;
  createdAt: number;
  secret: boolean;
  /** The option was reset to its default. */
  toDefault: boolean;
  difference: Difference | null;
};

/** A value to save; null = reset to the default. `base` is the text that the editor started from. */
export type OptionChange = { key: string; value: string | null; base?: string | undefined };
