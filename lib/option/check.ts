import { findBadEntry, type ListEntry, linesOf } from "@/lib/list-lines";
import { isModelMeterPrices } from "@/lib/meters";
import { isModelFallbacks } from "@/lib/model-fallbacks";
import { isModelGroups } from "@/lib/model-groups";
import { compilePatterns, isSafePattern } from "@/lib/patterns";
import { isModelLimitOverrides } from "@/lib/time-limits";
import { isHeaderMap, isSafetyMap, isTokenMap, isVersionMap } from "./maker-maps";
import { isDomain, readOrigin } from "./origin";
import type { OptionBounds, OptionControl } from "./types";

/** What a JSON text must be, by its control. */
const SHAPES = {
  json: () => true,
  ratioMap: (value: unknown) => isMapOf(value, isRatio),
  textMap: (value: unknown) => isMapOf(value, isText),
  limitMap: isModelLimitOverrides,
  meterMap: isModelMeterPrices,
  fallbackMap: isModelFallbacks,
  modelGroups: isModelGroups,
  tokenMap: isTokenMap,
  versionMap: isVersionMap,
  safetyMap: isSafetyMap,
  headerMap: isHeaderMap,
  modelRules: isListOfRows,
  chats: isListOfMaps,
} as const satisfies Partial<Record<OptionControl, (value: unknown) => boolean>>;

type JsonControl = keyof typeof SHAPES;

export function isJsonControl(control: OptionControl): control is JsonControl {
  return Object.hasOwn(SHAPES, control);
}

/** Why a text is not valid for an option; each is a message under "setting.issue". */
export type OptionIssue =
  | { reason: "number" | "integer" | JsonControl | "address" | "site" | "choice" | "patterns" }
  | ({ reason: "word" | "origin" | "domain" | "pattern" } & ListEntry)
  | { reason: "min"; limit: number }
  | { reason: "max"; limit: number };

type Checked = OptionBounds & { control: OptionControl; choices: readonly string[] };

/** Checks a text in the browser like the registry's schema on the server; null = valid. */
export function checkOptionText(option: Checked, text: string): OptionIssue | null {
  switch (option.control) {
    case "number":
      return checkNumber(option, text.trim());
    case "url":
      return text.trim() === "" || isWebAddress(text.trim()) ? null : { reason: "address" };
    case "site":
      return checkSite(text.trim());
    case "choice":
      return option.choices.includes(text) ? null : { reason: "choice" };
    case "lines":
      return checkLines(option.choices, text);
    case "origins":
      return badEntry("origin", text, (line) => readOrigin(line) !== null);
    case "domains":
      return badEntry("domain", text, isDomain, ",");
    case "patterns":
      return (
        badEntry("pattern", text, isSafePattern) ??
        (compilePatterns(linesOf(text)) === null ? { reason: "patterns" } : null)
      );
    default:
      return isJsonControl(option.control) ? checkJson(option.control, text) : null;
  }
}

function checkNumber({ min, max, integer }: OptionBounds, text: string): OptionIssue | null {
  if (!/^-?\d{1,30}(\.\d{1,30})?$/.test(text)) return { reason: "number" };
  const value = Number(text);
  if (min !== undefined && value < min) return { reason: "min", limit: min };
  const highest = max ?? Number.MAX_SAFE_INTEGER;
  if (value > highest) return { reason: "max", limit: highest };
  return integer && !Number.isInteger(value) ? { reason: "integer" } : null;
}

function badEntry(
  reason: "word" | "origin" | "domain" | "pattern",
  ...list: Parameters<typeof findBadEntry>
): OptionIssue | null {
  const bad = findBadEntry(...list);
  return bad && { reason, ...bad };
}

/** Without choices every line is valid. */
function checkLines(choices: readonly string[], text: string): OptionIssue | null {
  return choices.length === 0 ? null : badEntry("word", text, (word) => choices.includes(word));
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text);
}

/** The address of this site, which is served at the root of a host name. */
function checkSite(text: string): OptionIssue | null {
  if (text === "") return null;
  if (!isWebAddress(text)) return { reason: "address" };
  const { pathname, search, hash, username, password } = new URL(text);
  return /^\/*$/.test(pathname) && [search, hash, username, password].join("") === "" ? null : { reason: "site" };
}

function checkJson(control: JsonControl, text: string): OptionIssue | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { reason: "json" };
  }
  return SHAPES[control](value) ? null : { reason: control };
}

const isRatio = (value: unknown) => typeof value === "number" && value >= 0 && value <= 1e9;
const isText = (value: unknown) => typeof value === "string";

function isMapOf(value: unknown, fits: (value: unknown) => boolean): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([key, inner]) => key !== "" && fits(inner));
}

/** Their columns are left to the server: what reads them all is larger than the rest of the page's checks. */
function isListOfRows(value: unknown): boolean {
  return Array.isArray(value) && value.every((row: unknown) => isText((row as { models?: unknown } | null)?.models));
}

function isListOfMaps(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => isMapOf(item, isText));
}
