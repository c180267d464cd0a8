import { useTranslations } from "next-intl";
import type { Hue } from "@/components/ui/badge";

type Label = { text: string; hue: Hue };

/** The sixteen kinds of drawing tasks with their colours (console §1.4, §4). */
export const ACTION_HUES = {
  IMAGINE: "blue",
  UPSCALE: "orange",
  VARIATION: "purple",
  HIGH_VARIATION: "purple",
  LOW_VARIATION: "purple",
  PAN: "cyan",
  DESCRIBE: "yellow",
  BLEND: "lime",
  UPLOAD: "blue",
  SHORTEN: "pink",
  REROLL: "indigo",
  INPAINT: "violet",
  ZOOM: "teal",
  CUSTOM_ZOOM: "teal",
  MODAL: "green",
  SWAP_FACE: "green",
} as const satisfies Record<string, Hue>;

export const STATUS_HUES = {
  SUCCESS: "green",
  NOT_START: "grey",
  SUBMITTED: "yellow",
  IN_PROGRESS: "blue",
  FAILURE: "red",
  MODAL: "yellow",
} as const satisfies Record<string, Hue>;

const CODE_HUES = { 1: "green", 21: "lime", 22: "orange", 0: "yellow" } as const satisfies Record<number, Hue>;

const has = <Key extends PropertyKey>(table: Record<Key, unknown>, key: PropertyKey): key is Key =>
  Object.hasOwn(table, key);

/** Translated names and colours for the codes of a drawing task; unknown codes get "unknown". */
export function useDrawingLabels() {
  const t = useTranslations("drawing");
  const unknown: Label = { text: t("unknown"), hue: "grey" };
  return {
    action: (action: string): Label =>
      has(ACTION_HUES, action) ? { text: t(`action.${action}`), hue: ACTION_HUES[action] } : unknown,
    status: (status: string): Label =>
      has(STATUS_HUES, status) ? { text: t(`status.${status}`), hue: STATUS_HUES[status] } : unknown,
    code: (code: number): Label => (has(CODE_HUES, code) ? { text: t(`code.${code}`), hue: CODE_HUES[code] } : unknown),
  };
}
