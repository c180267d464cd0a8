import { isJsonObjectOrEmpty } from "./channel-draft";

type Json = Record<string, unknown>;

/** The channel's setting; null = it is no JSON object at the moment, so that nothing can be read from it or written into it. */
export function parseSetting(setting: string): Json | null {
  if (!isJsonObjectOrEmpty(setting)) return null;
  return setting.trim() === "" ? {} : (JSON.parse(setting) as Json);
}

/** The setting with another value of a field; undefined removes it. All other fields stay. */
export function changeSetting(setting: string, field: string, value: unknown): string {
  const { [field]: _, ...others } = parseSetting(setting) ?? {};
  const next = value === undefined ? others : { ...others, [field]: value };
  return Object.keys(next).length === 0 ? "" : prettyJson(next);
}

export const prettyJson = (value: unknown): string => JSON.stringify(value, null, 2);
