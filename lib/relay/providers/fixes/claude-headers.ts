import { settingOf } from "../../wire/dialects/common/model-setting";
import type { Quirks } from "../channel-type";
import { isClaude, withoutThinking } from "./claude-models";

/** The headers that an operator set for a model: their values are appended to those that the caller sent. */
export const claudeHeaders: NonNullable<Quirks["addHeaders"]> = (headers, name, options) => {
  const byModel = options["claude.model_headers_settings"];
  if (!isClaude(name)) return headers;
  const settings = settingOf(byModel, withoutThinking(name, options));
  if (!settings) return headers;
  const all = new Map<string, Set<string>>();
  const add = (name: string, value: string): void => {
    const values = all.get(name) ?? new Set();
    for (const item of value.split(",")) if (item.trim() !== "") values.add(item.trim());
    all.set(name, values);
  };
  for (let at = 0; at < headers.length; at += 2) add(headers[at] ?? "", headers[at + 1] ?? "");
  for (const [header, given] of Object.entries(settings))
    for (const value of [given].flat()) add(header.toLowerCase(), value);
  return [...all].flatMap(([header, values]) => (values.size === 0 ? [] : [header, [...values].join(",")]));
};
