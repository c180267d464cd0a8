import { readStored, writeStored } from "@/components/ui/stored";
import { newSettings, type PlaygroundSettings } from "./settings";

export type StoredSettings = { settings: PlaygroundSettings; model: string };

const keyOf = (userId: number) => `playground-settings-${userId}`;

/** The stored settings and model of the last visit; null if missing or invalid. */
export function readSettings(userId: number): StoredSettings | null {
  try {
    const stored: unknown = JSON.parse(readStored(keyOf(userId)) ?? "null");
    if (typeof stored !== "object" || stored === null) return null;
    const { settings, model } = stored as Record<string, unknown>;
    if (typeof settings !== "object" || settings === null || typeof model !== "string") return null;
    return { settings: toSettings(settings as Record<string, unknown>), model };
  } catch {
    return null;
  }
}

export function storeSettings(userId: number, stored: StoredSettings): void {
  writeStored(keyOf(userId), JSON.stringify(stored));
}

/** Reads field by field, because data stored by an older version may lack fields or have other types. */
function toSettings(stored: Record<string, unknown>): PlaygroundSettings {
  const settings = newSettings(typeof stored.group === "string" ? stored.group : "");
  const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : null);
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    ...settings,
    temperature: number(stored.temperature),
    maxTokens: number(stored.maxTokens) ?? settings.maxTokens,
    system: text(stored.system),
    topP: number(stored.topP),
    presencePenalty: number(stored.presencePenalty),
    frequencyPenalty: number(stored.frequencyPenalty),
    seed: number(stored.seed),
    stop: text(stored.stop),
  };
}
