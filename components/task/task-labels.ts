import { useTranslations } from "next-intl";
import type { Hue } from "@/components/ui/badge";

type Label = { text: string; hue: Hue };

/** The states of an asynchronous task with their colours (console §1.4, §4). */
export const STATUS_HUES = {
  SUCCESS: "green",
  NOT_START: "grey",
  SUBMITTED: "yellow",
  IN_PROGRESS: "blue",
  FAILURE: "red",
  QUEUED: "red",
  UNKNOWN: "red",
} as const satisfies Record<string, Hue>;

export const ACTION_HUES = {
  MUSIC: "grey",
  LYRICS: "pink",
  text2video: "blue",
  image2video: "purple",
} as const satisfies Record<string, Hue>;

/** Names of products, the same in every language. */
const PLATFORMS = {
  suno: { text: "Suno", hue: "green" },
  kling: { text: "Kling", hue: "blue" },
  sora: { text: "Sora", hue: "indigo" },
  veo: { text: "Veo", hue: "cyan" },
  vertex: { text: "Veo (Vertex AI)", hue: "cyan" },
  seedance: { text: "Seedance", hue: "violet" },
} as const satisfies Record<string, Label>;

const has = <Key extends PropertyKey>(table: Record<Key, unknown>, key: PropertyKey): key is Key =>
  Object.hasOwn(table, key);

/** Translated names and colours for the codes of a task; unknown codes get "unknown". */
export function useTaskLabels() {
  const t = useTranslations("task");
  const unknown: Label = { text: t("unknown"), hue: "grey" };
  return {
    status: (status: string): Label => {
      if (status === "") return { text: t("submitting"), hue: "grey" };
      return has(STATUS_HUES, status) ? { text: t(`status.${status}`), hue: STATUS_HUES[status] } : unknown;
    },
    action: (action: string): Label =>
      has(ACTION_HUES, action) ? { text: t(`action.${action}`), hue: ACTION_HUES[action] } : unknown,
    platform: (platform: string): Label => (has(PLATFORMS, platform) ? PLATFORMS[platform] : unknown),
  };
}
