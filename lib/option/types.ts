import type { Difference } from "@/lib/audit/difference";
import type { OptionCard } from "./cards";

/** How the console edits an option. */
export type OptionControl =
  | "text"
  | "url"
  | "number"
  | "switch"
  | "choice"
  | "lines"
  | "tags"
  | "markup"
  | "json"
  | "ratioMap"
  | "textMap"
  | "chats";

export type OptionUnit = "seconds" | "minutes" | "quota" | "tokens" | "times" | "perDollar" | "requests" | "percent";

/** What Weir does not do yet, as far as options belong to it. */
export type PendingFeature =
  | "drawing requests"
  | "fetching through a worker"
  | "claude"
  | "gemini"
  | "words in answers";

/** Bounds of a number, both inclusive. */
export type OptionBounds = { min?: number; max?: number; integer?: boolean };

/** An option as the settings page has it. `value` of a secret is always "". */
export type OptionView = OptionBounds & {
  key: string;
  card: OptionCard;
  control: OptionControl;
  choices: readonly string[];
  unit: OptionUnit | null;
  requires: string | null;
  /** It has no effect yet. */
  isPending: boolean;
  secret: boolean;
  value: string;
  default: string;
  /** Whether somebody set it; of a secret, whether it holds something. */
  isSet: boolean;
};

/** One save of an option. Of secrets only that they changed is told. */
export type OptionVersion = {
  id: number;
  key: string;
  actorId: number | null;
  actorName: string;
  clientIp: string;
  createdAt: number;
  secret: boolean;
  /** The save brought the option back to its default. */
  toDefault: boolean;
  difference: Difference | null;
};

/** A value to save; null = back to the default. `base` is the text that the editor started from. */
export type OptionChange = { key: string; value: string | null; base?: string | undefined };
